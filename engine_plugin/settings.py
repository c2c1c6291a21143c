"""Panda's own configuration variables of this plugin: what concerns the host, not her motion."""

from __future__ import annotations

from panda3d.core import ConfigVariableBool, ConfigVariableInt

tick_limit = ConfigVariableInt(
    "kinesics-tick-limit", 8, "Most ticks of 1/60 s that one frame may catch up on; the rest of a stall is dropped."
)
interpolate = ConfigVariableBool(
    "kinesics-interpolate", True, "Draw between two ticks where frames come faster than ticks (above 66 a second)."
)
own_light = ConfigVariableBool(
    "kinesics-own-light",
    True,
    "Light avatars with our own shader where the host has none on what they stand in; false never does.",
)
contact_shade = ConfigVariableBool("kinesics-contact-shade", True, "A soft dark disc on the ground under an avatar.")
sound = ConfigVariableBool("kinesics-sound", True, "Play what she says; false for a host that plays it itself.")
