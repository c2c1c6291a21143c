"""Her body as the rule's tests try it: the shipped avatar with the capsules she is loaded with."""

from __future__ import annotations

from functools import cache

from kinesics.components import gltf
from kinesics.components.skin import Body
from kinesics.systems import headless
from kinesics.systems.collide.body import fitted
from kinesics.systems.collide.offline.figure import Figure
from kinesics.systems.retarget import measure


@cache
def her() -> tuple[Body, Figure]:
    """Return the shipped avatar and her figure."""
    body = gltf.read(headless.AVATAR)
    found = fitted(body, measure(body.rig))
    assert found.capsules is not None, found.fault
    return body, Figure("default", body.rig, found.anatomy, found.capsules)
