"""Doubles for the tests, each of them real on the wire."""
