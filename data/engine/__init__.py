"""The press that prints the Tarnbeck Courier from phrase material, authors' habits and a plan."""
