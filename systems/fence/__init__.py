"""The trainable fence: a small model proposes where her arms go, the rule decides. Never in public mode."""

from .judge import judge
from .switch import IN_PUBLIC, NO_RULE, SHIPPED, begin, read, switch

__all__ = ["IN_PUBLIC", "NO_RULE", "SHIPPED", "begin", "judge", "read", "switch"]
