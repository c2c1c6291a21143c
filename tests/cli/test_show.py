"""A talker of a corpus can be looked at as it was made: one clip, uncut, with the voice it was made from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.components.motion import Motion
from kinesics.components.pose import Pose
from kinesics.engine_plugin.cli import main
from kinesics.engine_plugin.cli.show import clip_of, play
from kinesics.systems import headless, matcher


def test_a_performers_name_stands_for_the_first_clip_and_a_clips_name_for_itself() -> None:
    corpus = headless.load_corpus()
    names = [clip.name for clip in corpus.clips]
    assert names[clip_of(corpus, "shy")] == "shy-1"
    assert names[clip_of(corpus, "shy-4")] == "shy-4"


def test_who_is_in_no_corpus_is_named_with_those_who_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "show", "nobody", "-o", str(tmp_path / "a.png")]) == 1
    assert "'nobody'; there are calm, lively, open, precise, shy, story" in capsys.readouterr().err
    assert main(["corpus", "show", "calm", "-o", str(tmp_path / "a.png"), "--from", "600"]) == 2
    assert "past the last second" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_uncut_clip_shows_its_own_motion_and_no_pick() -> None:
    """From 5 s into the clip on, her left forearm stands where the corpus says, to the spring's lag."""
    world = headless.world(seed=1)
    number = clip_of(headless.load_corpus(), "precise-2")
    play(world, number, 5.0, None)
    systems = tuple(system for system in headless.TICK if system is not matcher.plan)
    motion, rotations = world.get(0, Motion), []
    joint, slot = motion.rig.humanoid["leftLowerArm"], 7
    assert motion.anatomy.slot_joint[slot] == joint
    for _ in range(240):
        world.step(systems)
        rotations.append(world.get(0, Pose).rotation[joint].copy())
    base = motion.anatomy.base[joint]
    shown = 2.0 * np.arccos(np.minimum(np.abs(np.array(rotations) @ base), 1.0))
    first = int(motion.repertoire.start[number]) + 150
    made = np.linalg.norm(motion.repertoire.delta[first : first + 120, slot] * motion.gain[slot], axis=1)
    late = [np.abs(shown[60 + k : 230 : 2] - made[30 : 30 + len(shown[60 + k : 230 : 2])]).mean() for k in range(10)]
    assert np.ptp(made) > 0.2  # rad: it does move
    assert np.degrees(min(late)) < 1.0
    assert 4 <= int(np.argmin(late)) <= 9  # ticks: 2 / 18 s


@pytest.mark.long
def test_a_video_has_ten_seconds_and_a_strip_her_in_it(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    from PIL import Image

    video, strip = tmp_path / "story.mp4", tmp_path / "story.png"
    assert main(["corpus", "show", "story", "-o", str(video), "--size", "320x240"]) == 0
    with av.open(str(video)) as film:
        assert float(film.duration / av.time_base) == pytest.approx(10.0, abs=0.1)
    assert main(["corpus", "show", "story", "-o", str(strip), "--seconds", "2"]) == 0
    with Image.open(strip) as picture:
        assert len(picture.getcolors(1 << 24) or []) > 1000
