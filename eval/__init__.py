"""How good it is: measurements of speed and strength."""
