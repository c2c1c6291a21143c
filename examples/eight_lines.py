"""The shortest program in which she talks: `python examples/eight_lines.py`."""

from direct.showbase.ShowBase import ShowBase

from kinesics.engine_plugin import AvatarPlugin
from kinesics.systems.headless import HELLO

base = ShowBase()
her = AvatarPlugin(base).spawn()
her.node.setPos(0, 3, -1.1)
her.say(HELLO)
base.run()
