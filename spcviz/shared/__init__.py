"""What problems share: folders, kept work, jobs, reports, uploads."""
