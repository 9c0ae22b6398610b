"""The page Pose on video: live computations, cached calls, stored clips, texts."""
