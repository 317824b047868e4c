"""Makes and finds the Python environment that the program runs in. Imports only the standard
library.
"""
