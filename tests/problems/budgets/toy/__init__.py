"""Chains of colours seen through fog: the smallest problem that a budget can be spent on, for tests."""

from spcviz.registry.problem import Problem

PROBLEM = Problem(name="toy", title="Colours in fog")
