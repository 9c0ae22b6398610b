"""Long computations in parts: run on any executor, resumed from disk, their CPU seconds counted."""
