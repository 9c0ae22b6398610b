"""Pictures and clips that visitors bring: headers looked at, then decoded in a process of their own."""
