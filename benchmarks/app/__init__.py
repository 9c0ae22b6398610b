"""``bench app``: load tests of the app; see `benchmarks.app.hall`."""
