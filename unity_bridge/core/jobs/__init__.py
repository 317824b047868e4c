"""Jobs: submission, questions, cancelling, results."""
