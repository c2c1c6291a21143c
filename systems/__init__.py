"""Everything that ticks, and the offline tools that make what ticks needs."""
