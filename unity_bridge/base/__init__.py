"""Values that every package uses: results, errors, calls, instants. No I/O and no threads."""
