"""Page code of the toy problem: cached calls, computations and records of colours."""
