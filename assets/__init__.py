"""Data that ships with kinesics; PROVENANCE.md says where each file comes from and under which licence."""
