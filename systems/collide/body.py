"""Her capsules when she is loaded: the shipped ones, the ones measured on an earlier day, or measured now."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from pathlib import Path

from ...components.anatomy import Anatomy
from ...components.capsules import CapsuleSet
from ...components.errors import AvatarError, OutputError
from ...components.skin import Body
from ..kernels.compiled import FOLDER

SHIPPED = Path(__file__).parents[2] / "assets" / "avatar" / "default.body.npz"  # of the avatar beside it
KEPT = FOLDER.parent / "capsules"  # of avatars that were measured here

RULE_OFF = "the rule is off"  # how a fault begins

log = logging.getLogger(__name__)  # INFO: one line before she is measured, for a progress line


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is known of her body.

    Fields:
        capsules: None where she cannot be measured: then the rule is off
        anatomy:  with the base pose that is free of contact, which every layer's delta is over
        fault:    why there are none and what to do, "" when there are
    """

    capsules: CapsuleSet | None
    anatomy: Anatomy
    fault: str = ""


def fitted(body: Body, anatomy: Anatomy) -> Fitted:
    """Return her capsules and the anatomy with the base pose they leave free. It is no tick's work: about a second.

    An avatar that cannot be measured is no error: she moves as before, without the rule, and `fault` says why.
    """
    try:
        capsules = _known(body, anatomy) or _measured(body, anatomy)
    except AvatarError as cause:
        return Fitted(None, anatomy, f"{RULE_OFF}, her arms may enter her body: {cause}")
    if not len(capsules.arm) or not len(capsules.body):
        return Fitted(None, anatomy, f"{RULE_OFF}: {body.source} has no arms or no body that they could enter")
    digest = hashlib.blake2b((anatomy.digest + capsules.digest).encode(), digest_size=16).hexdigest()
    return Fitted(capsules, replace(anatomy, base=capsules.base, digest=digest))


def _known(body: Body, anatomy: Anatomy) -> CapsuleSet | None:
    """Return capsules that were measured before, None where there are none for this avatar and this fitter."""
    from .offline import store  # what is loaded once is no tick

    for path in (SHIPPED, _place(body, anatomy)):
        if path.is_file() and body.digest:
            try:
                if path != SHIPPED or store.source(path) == body.digest:
                    return store.load(path, body.rig)
            except AvatarError as cause:
                log.debug("%s", cause)  # of another version, or damaged: measured again
    return None


def _measured(body: Body, anatomy: Anatomy) -> CapsuleSet:
    from .offline import measure, store

    log.info("Measuring the skin of %s, once.", body.source)
    try:
        capsules, _ = measure(body, anatomy)
    except (ValueError, ArithmeticError, LookupError) as cause:  # numpy's, of a mesh that nobody has thought of
        raise AvatarError(f"{body.source}: its skin cannot be measured ({type(cause).__name__}: {cause})") from cause
    if body.digest:
        try:
            store.save(_place(body, anatomy), capsules, body.digest)
        except OutputError as cause:  # no home or a full disk: she is measured at each start
            log.debug("%s", cause)
    return capsules


def _place(body: Body, anatomy: Anatomy) -> Path:
    """Return where this avatar's capsules are kept: another file, rig, base pose or fitter is another place."""
    from .offline.store import VERSION

    key = "\0".join((body.digest, body.rig.digest, anatomy.digest, str(VERSION)))
    return KEPT / f"{hashlib.blake2b(key.encode(), digest_size=12).hexdigest()}.npz"
