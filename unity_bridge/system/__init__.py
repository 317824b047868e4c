"""What differs between operating systems: sockets, files, terminals."""
