"""What her capsules are to her skin: on people of tubes, whose skin is known. No arm shall have a reason to tremble."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.components.capsules import CapsuleSet
from kinesics.components.errors import AvatarError
from kinesics.components.rig import Rig
from kinesics.systems import retarget
from kinesics.systems.collide.offline import Report, measure
from kinesics.systems.collide.offline.pairs import closest, near, place
from kinesics.systems.collide.offline.parts import parts_of
from kinesics.systems.collide.offline.samples import sample, surface_of
from tests.collide.person import Build, person

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
PEOPLE = {
    "a slim woman": Build(),
    "no fingers, chest, neck or collar bones": Build(without=(*FINGERS, "chest", "upperChest", "neck", "Shoulder")),
    "a child": Build(scale=0.6),
    "a body under clothes": Build(inner=True),
}
MORE = {
    "no hands": Build(without=(*FINGERS, "Hand")),
    "no fingers": Build(without=FINGERS),
    "no chest": Build(without=("chest", "upperChest")),
    "wide hips": Build(hips=1.6),
    "long hair": Build(hair=0.9, swings=False),
}


@cache
def measured(build: Build) -> tuple[CapsuleSet, Report, Rig]:
    body = person(build)
    return *measure(body, retarget.measure(body.rig)), body.rig


def outside(capsules: CapsuleSet, rig: Rig, point: np.ndarray) -> np.ndarray:
    """Return how far points are out of the nearest capsule in rest, m, without the fitter's own kernels."""
    placed = place(rig, capsules, rig.rest_rotation)
    least = np.full(len(point), np.inf)
    for start, end, radius in zip(placed.start, placed.end, capsules.radius, strict=True):
        along = end - start
        t = np.clip((point - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
        least = np.minimum(least, np.linalg.norm(point - start - t[:, None] * along, axis=1) - radius)
    return least


@pytest.mark.parametrize("name", [*PEOPLE, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)])
def test_her_skin_is_covered_and_her_base_pose_is_free(name: str) -> None:
    capsules, report, _ = measured((PEOPLE | MORE)[name])
    assert report.covered_5mm >= 0.99
    assert report.protrusion_p95_mm <= 8.0
    assert report.base_inside_mm == 0.0
    assert report.capsules == len(capsules.joint)
    assert report.notes == ()


def test_the_report_counts_skin_that_was_not_fitted_to() -> None:
    """Counted again here, on other samples and with plain numpy; only places that can be seen are skin."""
    capsules, report, rig = measured(Build())
    body = person(Build())
    parts = parts_of(body)
    other = sample(surface_of(body, parts), parts, 8000, 1.0, seed=5)
    inner = np.abs(other.normal[:, 1]) > 0.99  # the tubes' flat ends lie inside her
    covered = (outside(capsules, rig, other.point[~inner]) < 0.005).mean()
    assert covered == pytest.approx(report.covered_5mm, abs=0.01)


def test_capsules_do_not_depend_on_how_a_file_turns_its_bones() -> None:
    plain, turned = measured(Build()), measured(Build(turned=True))
    places = [place(rig, capsules, rig.rest_rotation) for capsules, _, rig in (plain, turned)]
    assert np.abs(places[0].start - places[1].start).max() < 1e-4  # m
    assert np.abs(plain[0].radius - turned[0].radius).max() < 1e-4
    assert (plain[0].joined == turned[0].joined).all()


@pytest.mark.long
def test_hair_keeps_no_arm_away() -> None:
    """Hair on springs, and hair of one mesh with the head: neither is an obstacle."""
    for build in (Build(hair=0.9), Build(hair=0.9, swings=False)):
        capsules, _, rig = measured(build)
        placed = place(rig, capsules, rig.rest_rotation)
        head = capsules.joint == rig.humanoid["head"]
        lowest = np.minimum(placed.start, placed.end)[head, 1] - capsules.radius[head]
        assert lowest.min() > 1.30, "hair hangs 0.9 m down, to the hips; capsules of the head end at the shoulders"


def test_a_bell_sleeve_makes_no_arm_thicker_than_it_is() -> None:
    """Bells of 10 cm held as hard as skin had her hands hang 9 cm farther out."""
    plain, bell = measured(Build()), measured(Build(sleeve=0.10, hair=0.9))
    of = [c.radius[(c.part == 2)].max() for c, _, _ in (plain, bell)]
    assert of[1] < of[0] + 0.012  # m: the sleeve where it is no wider than the upper arm
    assert bell[1].base_turned_deg < plain[1].base_turned_deg + 3.0


@pytest.mark.long
def test_a_skirt_that_swings_is_an_obstacle_near_her_and_yields_far_out() -> None:
    swings, hangs = (measured(Build(skirt=0.3, swings=s)) for s in (True, False))
    reach = []
    for capsules, _, rig in (swings, hangs):
        placed = place(rig, capsules, rig.rest_rotation)
        trunk = capsules.joint == rig.humanoid["hips"]
        reach.append(float((np.abs(placed.start[trunk, 0]) + capsules.radius[trunk]).max()))
    assert reach[1] > 0.26  # m: the hem of one that hangs rigidly, 0.275 out
    assert 0.17 < reach[0] < 0.25


@pytest.mark.long
def test_a_name_that_looks_like_hair_does_not_undress_her() -> None:
    assert measured(Build(material="Hair_and_skin"))[1].covered_5mm >= 0.99


def test_skin_under_clothes_is_not_fitted_to() -> None:
    """An inner body 2 cm below drew the capsules in: 5 % of the clothes lay more than 5 mm out of them."""
    bare, dressed = measured(Build()), measured(Build(inner=True))
    assert dressed[1].covered_5mm == pytest.approx(bare[1].covered_5mm, abs=0.005)


def test_what_a_material_calls_hair_is_none_of_her_skin() -> None:
    body = person(Build(hair=0.9, swings=False, named=True))
    held = surface_of(body, parts_of(body))
    assert held.point[held.face].min() < 0.1, "her feet are there"
    assert len(held.face) == len(surface_of(person(Build()), parts_of(person(Build()))).face)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (Build(without=("UpperArm", "LowerArm", "Hand", *FINGERS)), "no upper arms"),
        (Build(without=("Arm", "Hand", "Shoulder", *FINGERS)), "no upper arms"),
    ],
)
def test_who_has_no_arms_is_refused_by_name(build: Build, said: str) -> None:
    body = person(build)
    with pytest.raises(AvatarError, match=said) as caught:
        measure(body, retarget.measure(body.rig))
    assert body.source in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "build"),
    [("very wide", Build(girth=1.9)), ("long skirt", Build(skirt=0.8)), ("all", Build(girth=1.5, skirt=0.8, hair=0.9))],
)
def test_what_is_no_slim_woman_is_fitted_and_rests_at_peace(name: str, build: Build) -> None:
    """The goals are a woman's; here the arms must be still: nothing may be inside anything in the base pose."""
    capsules, report, rig = measured(build)
    assert report.covered_5mm >= 0.96, name
    assert report.protrusion_p95_mm <= 12.0
    anatomy = retarget.measure(rig)
    left = near(capsules, place(rig, capsules, capsules.base, anatomy.base_root))
    assert left.gap.min(initial=0.0) >= -1e-4
    assert report.base_turned_deg < 75.0


coordinate = st.floats(-0.3, 0.3)
segment = st.tuples(*[coordinate] * 6)


@settings(max_examples=60)
@given(first=segment, second=segment, kind=st.sampled_from(("any", "point", "parallel", "same")))
def test_two_segments_are_as_near_as_a_fine_search_finds(
    first: tuple[float, ...], second: tuple[float, ...], kind: str
) -> None:
    a, da, b, db = (np.array(v) for v in (first[:3], first[3:], second[:3], second[3:]))
    if kind == "point":
        da = np.zeros(3)
    elif kind == "parallel":
        db = 0.7 * da
    elif kind == "same":
        b, db = a, da
    s, t = closest(a[None], da[None], b[None], db[None])
    found = np.linalg.norm(a + s[0, 0] * da - b - t[0, 0] * db)
    grid = np.linspace(0.0, 1.0, 201)
    p, q = a + grid[:, None] * da, b + grid[:, None] * db
    least = np.linalg.norm(p[:, None] - q[None], axis=2).min()
    assert found <= least + 2e-4  # m


def _nan(position: np.ndarray) -> None:
    position[::7] = np.nan


def _far(position: np.ndarray) -> None:
    position[3] = 1e30


def _flat(position: np.ndarray) -> None:
    position[:, 2] = 0.0


def _point(position: np.ndarray) -> None:
    position[:] = 1.0


@pytest.mark.parametrize(
    "harm", [_nan, _point, *(pytest.param(harm, marks=pytest.mark.long) for harm in (_far, _flat))]
)
def test_a_broken_mesh_is_measured_or_refused_in_one_line(harm: Callable[[np.ndarray], None]) -> None:
    body = person(Build(swings=False))
    mesh = body.skin.meshes[0]
    position = mesh.position.copy()
    harm(position)
    body = replace(body, skin=replace(body.skin, meshes=(replace(mesh, position=position),)))
    if harm is _point:
        with pytest.raises(AvatarError, match=r"^person: no skin hangs on its trunk[^\n]*$"):
            measure(body, retarget.measure(body.rig))
    else:
        capsules, _ = measure(body, retarget.measure(body.rig))
        assert capsules.radius.min() > 0.0


@pytest.mark.long
@pytest.mark.parametrize("scale", [0.05, 10.0])
def test_a_doll_and_a_giant_get_as_many_capsules_as_a_woman(scale: float) -> None:
    """A giant of 16 m in rows of 3 cm would get 20 000."""
    capsules, report, _ = measured(Build(scale=scale))
    assert 60 < len(capsules.joint) < 400
    assert report.base_inside_mm == 0.0
