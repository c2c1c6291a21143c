"""The face units every built avatar has, and the VRM presets as mixes of them."""

from __future__ import annotations

_PAIRED = (
    "browDown", "browOuterUp", "cheekSquint", "eyeBlink", "eyeLookDown", "eyeLookIn", "eyeLookOut", "eyeLookUp",
    "eyeSquint", "eyeWide", "mouthDimple", "mouthFrown", "mouthLowerDown", "mouthPress", "mouthSmile", "mouthStretch",
    "mouthUpperUp", "noseSneer",
)  # fmt: skip
_SINGLE = (
    "browInnerUp", "cheekPuff", "jawForward", "jawLeft", "jawOpen", "jawRight", "mouthClose", "mouthFunnel",
    "mouthLeft", "mouthPucker", "mouthRight", "mouthRollLower", "mouthRollUpper", "mouthShrugLower",
    "mouthShrugUpper", "tongueOut",
)  # fmt: skip

UNITS: tuple[str, ...] = tuple(sorted((*_SINGLE, *(unit + side for unit in _PAIRED for side in ("Left", "Right")))))

# Mixes tuned by eye on the rendered face; 1 is the unit as the source has it. A name without a side means both.
_PRESETS: dict[str, dict[str, float]] = {
    "happy": {"mouthSmile": 0.70, "cheekSquint": 0.50, "eyeSquint": 0.25, "browOuterUp": 0.15, "jawOpen": 0.06},
    "angry": {"browDown": 0.85, "noseSneer": 0.30, "eyeSquint": 0.35, "mouthPress": 0.40, "mouthFrown": 0.30},
    "sad": {"browInnerUp": 0.80, "mouthFrown": 0.60, "eyeSquint": 0.15, "mouthShrugLower": 0.30},
    "relaxed": {"mouthSmile": 0.30, "eyeBlink": 0.22, "browInnerUp": 0.10, "cheekSquint": 0.10},
    "surprised": {"browInnerUp": 0.70, "browOuterUp": 0.70, "eyeWide": 0.75, "jawOpen": 0.32, "mouthFunnel": 0.15},
    "aa": {"jawOpen": 0.55, "mouthLowerDown": 0.15, "mouthUpperUp": 0.10},
    "ih": {"jawOpen": 0.16, "mouthStretch": 0.35, "mouthSmile": 0.20, "mouthLowerDown": 0.25},
    "ou": {"jawOpen": 0.14, "mouthPucker": 0.75, "mouthFunnel": 0.25},
    "ee": {"jawOpen": 0.24, "mouthSmile": 0.30, "mouthStretch": 0.20, "mouthLowerDown": 0.25, "mouthUpperUp": 0.15},
    "oh": {"jawOpen": 0.36, "mouthFunnel": 0.60, "mouthPucker": 0.20},
    "blink": {"eyeBlink": 1.0},
    "blinkLeft": {"eyeBlinkLeft": 1.0},
    "blinkRight": {"eyeBlinkRight": 1.0},
    "neutral": {},
}


def presets() -> dict[str, dict[str, float]]:
    """Return VRM 1.0 preset -> face unit -> weight 0..1."""
    out: dict[str, dict[str, float]] = {}
    for name, mix in _PRESETS.items():
        out[name] = {}
        for unit, weight in mix.items():
            both = (unit + "Left", unit + "Right") if unit in _PAIRED else (unit,)
            out[name].update(dict.fromkeys(both, weight))
    return out
