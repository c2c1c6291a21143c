"""What her person has set on her, eased where it shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Persona:
    """Settings of one avatar. stillness: 0 as configured .. 1 almost still."""

    stillness: float = 0.0
