"""Services that problems share: folders, results, jobs and a disk cache, uploads, child processes."""
