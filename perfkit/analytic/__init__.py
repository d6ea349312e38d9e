"""Laws, bounds and models of numbers alone: nothing here imports the rest of perfkit."""
