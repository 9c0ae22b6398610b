"""Other libraries' own tests, applied to this one; they run where the peer is installed."""
