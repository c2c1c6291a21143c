"""The sentence layer: motion made for each sentence that she says. model/ is the network, session.py its sentences.

Imports nothing: the process that hosts the model takes session.py from here; what ticks would bring it a compiler.
"""
