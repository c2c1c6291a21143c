"""Data that ships with kinesics; LICENSES.md says where each file comes from and under which licence."""
