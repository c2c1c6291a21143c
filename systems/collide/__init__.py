"""Her arms kept out of her body: capsules of her skin, and the rule that corrects the pose that is shown."""

from .resolve import resolve, resolve_pose, resolve_window
from .tables import attach, guard_of

__all__ = ["attach", "guard_of", "resolve", "resolve_pose", "resolve_window"]
