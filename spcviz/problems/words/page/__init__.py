"""What the pages about words under a budget show: computed live, cached, drawn, said."""
