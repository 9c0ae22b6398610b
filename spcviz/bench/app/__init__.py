"""``bench app``: the app as a class meets it; see `spcviz.bench.app.hall`."""
