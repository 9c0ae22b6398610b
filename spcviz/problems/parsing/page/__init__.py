"""What the pages about dependency trees show: live computations, cached calls, charts, texts."""
