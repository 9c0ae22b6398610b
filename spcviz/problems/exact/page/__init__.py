"""What the pages about exact inference show: computed live, cached, drawn, said."""
