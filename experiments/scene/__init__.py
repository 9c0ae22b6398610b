"""Scenes: SpeedMachines' tables and what features take."""
