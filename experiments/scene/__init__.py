"""Experiments on street scenes: SpeedMachines' tables, and the cost of features."""
