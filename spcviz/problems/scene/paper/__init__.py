"""Results on street scenes: tables, charts and evidence, compared with SpeedMachines."""
