"""What the commands of the command line do: a function per command, the parsed line in."""
