"""What commands and the self-test use with an editor: a bridge for their duration, and output."""
