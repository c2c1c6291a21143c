"""Synthetic performers: a small corpus that the project makes itself, spoken by free voices and moved by rule.

Path of a clip: `speak` (a sentence becomes sound), voice analysis, `events` and `fill` (accents become moves), `moves`
and `channels` (moves become 24 numbers a hand), `governor` (nothing too fast), `arm` and `body` (joints),
`synth`, `build`.
"""
