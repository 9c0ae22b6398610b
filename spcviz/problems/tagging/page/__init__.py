"""What the pages about tagged sentences show: computed live, cached, drawn, said."""
