"""No separate page: the open vocabulary is on the pages Letters and Write of `spcviz.problems.letters`."""
