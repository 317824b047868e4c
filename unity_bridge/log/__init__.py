"""The log: records, the file they are written to, and the limit on repeated ones."""
