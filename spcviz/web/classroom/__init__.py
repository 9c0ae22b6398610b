"""Questions to a class: the scene of a tour asks, phones answer, the lecturer's screen counts."""
