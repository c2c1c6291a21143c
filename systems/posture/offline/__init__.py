"""How holds are found on her skin, once for each avatar."""
