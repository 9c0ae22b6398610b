"""What the pages about arms under a budget show: computed live, cached, drawn, said."""
