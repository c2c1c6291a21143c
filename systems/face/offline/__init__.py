"""How the lips are made: voices that can be had, what they say and when, training, measuring. Nothing here ticks."""
