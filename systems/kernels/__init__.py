"""Arithmetic on plain arrays, compiled: no components, no clock. float64, quaternions wxyz Hamilton active.

A function named like a verb works on one row and writes into its last argument(s); `verb_each` does the same for N
rows. An output may be the same array as an input unless its docstring says otherwise.
"""
