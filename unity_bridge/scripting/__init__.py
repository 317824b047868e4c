"""What commands and the self-test use to work with an editor: a bridge for their own duration, and their output."""
