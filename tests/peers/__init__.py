"""Other libraries' own tests, asked of this one; they run where the peer is installed."""
