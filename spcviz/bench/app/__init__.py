"""``bench app``: load tests of the app; see `spcviz.bench.app.hall`."""
