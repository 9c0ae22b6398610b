"""No page of its own: an open vocabulary is on the pages Letters and Write, of `spcviz.problems.letters`."""
