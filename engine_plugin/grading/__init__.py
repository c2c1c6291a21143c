"""Blind grading where there is an engine: copies lived through between her frames, strips drawn beside them."""
