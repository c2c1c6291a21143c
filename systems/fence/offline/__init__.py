"""The fence's trainer: motions and their labels, the head's training on them, and what it is worth."""
