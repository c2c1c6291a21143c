"""A head: what it sees, what it keeps in mind, what its file may hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesics.components import head as component
from kinesics.components.arrays import F32, F64
from kinesics.components.errors import FenceError
from kinesics.components.head import WEIGHTS, Head, load, save
from kinesics.systems.fence.head import joints_of, tables_of
from kinesics.systems.kernels import fk
from kinesics.systems.kernels import head as kernel
from tests.talker import rig

WIDTH = 16


def drawn(seed: int = 0, size: float = 1.0) -> Head:
    """Return a head of random weights for the figure of numbers."""
    draw = np.random.default_rng(seed)

    def weights(*shape: int) -> F32:
        return (size * draw.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    gates = 3 * kernel.HIDDEN
    return Head(
        rig().digest, "capsules", weights(kernel.INPUTS, WIDTH), weights(WIDTH), weights(WIDTH, gates), weights(gates),
        weights(kernel.HIDDEN, gates), weights(gates), weights(kernel.HIDDEN, kernel.OUTPUTS), weights(kernel.OUTPUTS),
    )  # fmt: skip


def posed(seed: int, turned: float = 0.3) -> tuple[F64, F64]:
    """Return a random pose of the figure, (J, 4) and (J, 3)."""
    made, draw = rig(), np.random.default_rng(seed)
    rotation = made.rest_rotation + turned * draw.standard_normal((len(made.names), 4))
    rotation /= np.linalg.norm(rotation, axis=1)[:, None]
    position, world = np.empty((len(made.names), 3)), np.empty((len(made.names), 4))
    fk.world(made.parent, made.rest_offset, np.zeros(3), rotation, position, world)
    return world, position


def proposals(head: Head, poses: list[tuple[F64, F64]]) -> F64:
    tables, memory, out = tables_of(head, rig()), np.zeros(kernel.STATE), np.zeros(18)
    rows = []
    for world, position in poses:
        kernel.propose(world, position, *tables, memory, out)
        rows.append(out.copy())
    return np.array(rows)


def test_the_kernel_does_what_three_layers_in_plain_numpy_do() -> None:
    head, poses = drawn(), [posed(k) for k in range(6)]
    seen, memory = np.zeros(kernel.SEEN + kernel.ROOM), np.zeros(kernel.STATE)
    hidden, last, size = np.zeros(kernel.HIDDEN), np.zeros(18), kernel.HIDDEN
    found = proposals(head, poses)
    for row, (world, position) in zip(found, poses, strict=True):
        kernel.see(world, position, joints_of(rig()), memory, seen)
        x = np.concatenate([seen[: kernel.SEEN], last])
        own = np.maximum(x @ head.enter + head.entered, 0.0) @ head.take + head.taken
        past = hidden @ head.keep + head.kept
        gates = 1.0 / (1.0 + np.exp(-own[: 2 * size] - past[: 2 * size]))
        new = np.tanh(own[2 * size :] + gates[:size] * past[2 * size :])
        hidden = new + gates[size:] * (hidden - new)
        y = hidden @ head.leave + head.left
        last = y[:18] / (1.0 + np.exp(-np.repeat(y[18:], 9)))
        assert np.abs(row - last).max() < 1e-6
    assert np.abs(found[-1]).max() > 0.01


def test_where_she_stands_and_which_way_she_faces_changes_nothing() -> None:
    from kinesics.systems.kernels import quat

    turn = np.array([np.cos(0.6), 0.0, np.sin(0.6), 0.0])
    poses = [posed(k) for k in range(4)]
    moved = []
    for world, position in poses:
        spun, at = np.empty_like(world), np.empty_like(position)
        for j in range(len(world)):
            quat.mul(turn, world[j], spun[j])
            quat.rotate(turn, position[j], at[j])
        moved.append((spun, at + np.array([3.0, 0.5, -2.0])))
    assert np.abs(proposals(drawn(), poses) - proposals(drawn(), moved)).max() < 1e-5


def test_it_goes_on_from_what_it_proposed_and_a_memory_of_zeros_forgets_it() -> None:
    head, pose = drawn(), posed(1)
    found = proposals(head, [pose, pose, pose])
    assert np.abs(np.diff(found, axis=0)).max() > 1e-3
    assert np.array_equal(proposals(head, [pose])[0], found[0])


def test_a_pose_that_is_no_number_gives_a_proposal_that_is_none() -> None:
    world, position = posed(1)
    position[rig().humanoid["leftHand"]] = np.nan
    assert not np.isfinite(proposals(drawn(), [(world, position)])).all()


def test_sizes_of_file_and_kernel_are_the_same() -> None:
    assert (component.HIDDEN, component.SEEN, component.CORRECTION) == (kernel.HIDDEN, kernel.SEEN, kernel.CORRECTION)


def test_a_file_gives_the_head_back_to_the_bit(tmp_path: Path) -> None:
    head = drawn()
    save(tmp_path / "head.npz", head)
    again = load(tmp_path / "head.npz")
    assert again.digest == head.digest
    assert again.avatar == rig().digest
    assert all(np.array_equal(getattr(again, name), getattr(head, name)) for name in WEIGHTS)


def _changed(path: Path, **arrays: object) -> Path:
    with np.load(path) as file:
        held = {name: file[name] for name in file.files}
    held |= arrays
    np.savez(path, **{name: value for name, value in held.items() if value is not None})
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"enter": None}, "has no 'enter'"),
        ({"version": np.int32(9)}, "version 9"),
        ({"left": np.full(20, np.nan, np.float32)}, "20 values are not finite"),
        ({"keep": np.zeros((3, 3), np.float32)}, "shape"),
        ({"take": np.zeros((WIDTH, 192))}, "float64"),
        ({"entered": np.zeros(6, np.float32)}, "multiple of 4"),
    ],
)
def test_a_file_that_is_no_head_is_refused_in_one_line(tmp_path: Path, change: dict[str, object], said: str) -> None:
    save(tmp_path / "head.npz", drawn())
    path = _changed(tmp_path / "head.npz", **change)
    with pytest.raises(FenceError, match=said) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert "fence train" in str(caught.value)


def test_bytes_that_are_no_arrays_are_refused(tmp_path: Path) -> None:
    (tmp_path / "head.npz").write_bytes(b"PK\x03\x04 no zip at all")
    with pytest.raises(FenceError, match="no weights"):
        load(tmp_path / "head.npz")
    with pytest.raises(FenceError, match="no weights"):
        load(tmp_path / "absent.npz")
