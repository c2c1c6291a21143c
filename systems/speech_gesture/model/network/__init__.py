"""The layers, in torch. Nothing outside model.py imports them, and it does so when a model is made."""
