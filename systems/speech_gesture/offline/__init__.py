"""The published files of the sentence model made into one folder that nothing has to be trusted to read."""
