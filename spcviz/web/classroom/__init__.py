"""Questions to a class: a tour's scene asks, phones answer, the lecturer's screen counts."""
