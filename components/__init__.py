"""Data only: what the systems read and write. Nothing here knows a system, an engine, a clock or a thread."""
