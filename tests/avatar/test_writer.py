"""The glTF writer gives back, through an independent reading, what was put in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesics.components.gltf.write import Writer

from .glb import Glb


def _read(out: Writer, folder: Path) -> Glb:
    path = folder / "some.glb"
    path.write_bytes(out.glb())
    return Glb(path)


def test_dense_normalized_and_matrix_values_come_back(tmp_path: Path) -> None:
    out = Writer("test")
    point = np.array([[1.0, -2.0, 3.5], [0.25, 0.0, -1.0]], np.float32)
    share = np.array([[65535, 0], [13107, 52428]], np.uint16)
    matrix = np.arange(16, dtype=np.float32).reshape(1, 16)
    odd = np.array([3, 1, 2], np.uint8)  # leaves the buffer off a 4-byte boundary
    index = [
        out.accessor(odd),
        out.accessor(point, bounds=True),
        out.accessor(share, normalized=True),
        out.accessor(matrix),
    ]
    glb = _read(out, tmp_path)
    np.testing.assert_array_equal(glb.accessor(index[0])[:, 0], odd)
    np.testing.assert_array_equal(glb.accessor(index[1]), point)
    np.testing.assert_allclose(glb.accessor(index[2]), [[1.0, 0.0], [0.2, 0.8]])
    np.testing.assert_array_equal(glb.accessor(index[3]), matrix)
    assert glb.document["accessors"][index[1]]["max"] == [1.0, 0.0, 3.5]
    assert all(view["byteOffset"] % 4 == 0 for view in glb.document["bufferViews"])


@given(data=st.data(), count=st.integers(1, 300))
def test_sparse_values_come_back_and_bounds_hold_the_zeros_between(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, count: int
) -> None:
    index = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1)))), np.int64)
    values = np.linspace(1.0, 2.0, 3 * len(index), dtype=np.float32).reshape(-1, 3)
    out = Writer("test")
    out.accessor(np.zeros(1, np.float32))
    place = out.sparse(count, index, values)
    glb = _read(out, tmp_path_factory.mktemp("sparse"))
    whole = np.zeros((count, 3))
    whole[index] = values
    np.testing.assert_array_equal(glb.accessor(place), whole)
    np.testing.assert_allclose(glb.document["accessors"][place]["min"], whole.min(axis=0))
    np.testing.assert_allclose(glb.document["accessors"][place]["max"], whole.max(axis=0))


def test_sparse_places_must_rise_and_stay_inside() -> None:
    with pytest.raises(ValueError, match="rise"):
        Writer("test").sparse(5, np.array([3, 1]), np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match="below the count"):
        Writer("test").sparse(5, np.array([5]), np.zeros((1, 3), np.float32))
