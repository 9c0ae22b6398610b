"""What the pages about dependency trees show: computed live, cached, drawn, said."""
