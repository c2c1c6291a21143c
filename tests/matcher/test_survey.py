"""A corpus report counts what she can show, and finds the pose she could not leave."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from kinesics.components.anatomy import ARM_SLOTS, SLOTS
from kinesics.components.config import Config
from kinesics.components.corpus import Clip, Corpus, Repertoire
from kinesics.systems.matcher import survey

RAISED = 2.0  # rad, 115 deg: beyond the 55 deg that a pick may jump


def _talkers(angles: list[tuple[float, float]], speed: list[float]) -> tuple[Corpus, Repertoire]:
    """Return clips of one row each, whose left upper arm goes from one angle (rad) to another within the second."""
    count, frames = len(angles), 31
    delta = np.zeros((count * frames, len(SLOTS), 3), np.float32)
    pose = np.zeros((count, 8, 4), np.float32)
    pose[:, :, 0] = 1.0
    arm = ARM_SLOTS[1]
    for k, (first, last) in enumerate(angles):
        delta[k * frames : (k + 1) * frames, arm, 0] = np.linspace(first, last, frames)
        pose[k, 1] = (np.cos(first / 2), np.sin(first / 2), 0, 0)
    start = np.arange(count + 1, dtype=np.int32) * frames
    held: dict[str, Any] = {
        "start": start,
        "arms": delta[:, list(ARM_SLOTS)],
        "gain": np.ones(len(SLOTS)),
        "row_clip": np.arange(count, dtype=np.int32),
        "row_frame": np.zeros(count, np.int32),
        "row_pose": pose,
        "row_speed": np.array(speed, np.float32),
    }
    blank = {f.name: np.zeros(0) for f in dataclasses.fields(Repertoire) if f.name not in held}
    clips = tuple(Clip(f"clip-{k}", "nobody", "no voice", "", "CC0-1.0", {}) for k in range(count))
    empty = {f.name: np.zeros(0) for f in dataclasses.fields(Corpus)} | {"clips": clips, "start": start}
    return Corpus(**empty), Repertoire(**blank | held)


def test_a_row_that_ends_where_nothing_begins_is_a_dead_end() -> None:
    corpus, hers = _talkers([(0.0, 0.0), (0.0, RAISED), (0.1, 0.0)], [10.0, 80.0, 20.0])
    found = survey(corpus, hers, Config.default())
    assert (found["windows"], found["legal"], found["dead_ends"]) == (3, 3, 1)
    assert [clip["amplitude_deg"] > 5 for clip in found["clips"]] == [False, True, False]


def test_a_row_that_can_be_left_is_none() -> None:
    corpus, hers = _talkers([(0.0, 0.0), (0.0, RAISED), (RAISED - 0.5, 0.0)], [10.0, 80.0, 20.0])
    assert survey(corpus, hers, Config.default())["dead_ends"] == 0


def test_the_way_out_must_keep_to_the_speed_gate_itself() -> None:
    corpus, hers = _talkers([(0.0, 0.0), (0.0, RAISED), (RAISED - 0.5, 0.0)], [10.0, 80.0, 91.0])
    found = survey(corpus, hers, Config.default())
    assert (found["legal"], found["dead_ends"]) == (2, 1)
    assert [clip["legal"] for clip in found["clips"]] == [1, 1, 0]
