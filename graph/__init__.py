"""Wiring only: what runs after what, the compiled graph, the command line, the server's routes."""
