"""The table as a picture: how often she calls each layer good, its interval, beside the rules and their figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from ..strips import save

WIDTH, TOP, ROW, FOOT = 860, 92, 118, 78  # px
_LEFT, _RIGHT = 150, 560  # px, where a share of 0 and of 1 lie
_HERS, _RULES, _INK, _PALE = "#2e86c1", "#c0392b", "#212f3c", "#d5dbdb"


def draw(found: dict[str, Any], path: Path) -> Path:
    """Write a table, as `grading.table` returns it, as a PNG and return its path; OutputError where it cannot be."""
    layers = found["layers"]
    sheet = Image.new("RGB", (WIDTH, TOP + ROW * max(len(layers), 1) + FOOT), "white")
    pen = ImageDraw.Draw(sheet)
    large, small = ImageFont.load_default(size=19), ImageFont.load_default(size=14)
    pen.text((24, 20), f"Blind grades: {found['n']} graded, {found['waiting']} waiting", fill=_INK, font=large)
    pen.rectangle((24, 56, 38, 70), fill=_HERS)
    pen.text((46, 55), "she says good, 95 % interval", fill=_INK, font=small)
    pen.rectangle((270, 56, 284, 70), fill=_RULES)
    pen.text((292, 55), "the fixed rules say good", fill=_INK, font=small)
    bottom = TOP + ROW * len(layers)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        pen.line([(_x(share), TOP), (_x(share), bottom)], fill=_PALE)
        pen.text((_x(share), bottom + 6), f"{100 * share:.0f} %", fill=_INK, font=small, anchor="mt")
    for k, one in enumerate(layers):
        _row(pen, one, TOP + ROW * k, large, small)
    pen.text((24, bottom + 38), _word(found), fill=_INK, font=small)
    return save(sheet, path)


def _row(pen: ImageDraw.ImageDraw, one: dict[str, Any], top: int, large: Any, small: Any) -> None:
    """Draw one layer: her bar with its interval, the rules' bar, figures to the right."""
    rules, middle = one["rules"], top + 36
    pen.text((24, top + 18), one["layer"], fill=_INK, font=large)
    pen.text((24, top + 46), f"{one['n']} graded", fill=_INK, font=small)
    pen.rectangle((_x(0.0), top + 20, _x(one["good"]), top + 52), fill=_HERS)
    low, high = _x(one["good_low"]), _x(one["good_high"])
    pen.line([(low, middle), (high, middle)], fill=_INK, width=2)
    for end in (low, high):
        pen.line([(end, middle - 9), (end, middle + 9)], fill=_INK, width=2)
    pen.rectangle((_x(0.0), top + 58, _x(rules["good"]), top + 76), fill=_RULES)
    lines = (
        f"depth p99 {rules['depth_p99']:.2f} mm, max {rules['depth_max']:.2f} mm",
        f"added jerk p99 {rules['jerk_p99']:.2f} mm/frame^3",
        f"wrists moved {rules['moved_rms']:.2f} mm rms",
        f"refused {rules['refused']:.0f}, forced cuts {rules['forced']:.2f}",
        f"she and the rules agree on {100 * rules['agree']:.0f} %",
    )
    for k, line in enumerate(lines):
        pen.text((_RIGHT + 26, top + 10 + 19 * k), line, fill=_INK, font=small)


def _x(share: float) -> int:
    return round(_LEFT + (_RIGHT - _LEFT) * share)


def _word(found: dict[str, Any]) -> str:
    if not found["n"]:
        return "Nothing is graded yet."
    if not found["enough"]:
        return f"Too few to say anything: it takes {found['least']} of each layer, two layers at least."
    return f"She and the fixed rules agree on {100 * found['agree']:.0f} % of all."
