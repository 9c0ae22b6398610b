"""Tests of the problem of visitors' own data."""
