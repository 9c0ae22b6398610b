"""Results on street scenes: tables, charts and evidence, beside SpeedMachines."""
