"""She stands in a lit room of somebody else's renderer: `pip install panda3d-simplepbr`, then run this file.

simplepbr is set to skin on the graphics card, which freezes the face of an ordinary Panda3D Actor without a word. Hers
moves: she hands over vertices that are posed already. Let the renderer start before `spawn`: an avatar that finds a
host's shader is lit by it, and one that finds none brings her own light.
"""

import simplepbr
from direct.showbase.ShowBase import ShowBase
from panda3d.core import AmbientLight, CardMaker, DirectionalLight, Material, PointLight

from kinesics.engine_plugin import AvatarPlugin
from kinesics.systems.headless import HELLO

# name: frame of the card, position, heading and pitch, colour
WALLS = {
    "floor": ((-3, 3, -3, 3), (0, 0, 0), (0, -90), (0.33, 0.24, 0.17)),
    "back wall": ((-3, 3, 0, 3), (0, 1.6, 0), (0, 0), (0.62, 0.60, 0.55)),
    "left wall": ((-3, 3, 0, 3), (-2.2, 0, 0), (90, 0), (0.30, 0.42, 0.44)),
    "picture": ((-0.45, 0.45, 1.25, 1.9), (1.25, 1.58, 0), (0, 0), (0.65, 0.30, 0.16)),
}


def room(base):
    """Put walls and three lights into the scene."""
    for name, (frame, at, turned, color) in WALLS.items():
        card = CardMaker(name)
        card.setFrame(*frame)
        card.setHasNormals(True)
        wall = base.render.attachNewNode(card.generate())
        wall.setPosHprScale(*at, *turned, 0, 1, 1, 1)
        wall.setTwoSided(True)
        paint = Material(name)
        paint.setBaseColor((*color, 1))
        paint.setRoughness(0.85)
        wall.setMaterial(paint)
    lights = [
        (DirectionalLight("window"), (2.4, 2.3, 2.1), (-2, -4, 4)),
        (PointLight("lamp"), (1.5, 1.0, 0.6), (1.4, -0.4, 2.2)),
        (AmbientLight("room"), (0.28, 0.29, 0.33), (0, 0, 0)),
    ]
    for light, color, at in lights:
        light.setColor((*color, 1))
        path = base.render.attachNewNode(light)
        path.setPos(*at)
        path.lookAt(0, 0, 1)
        base.render.setLight(path)


base = ShowBase()
base.disableMouse()
base.camera.setPos(0.5, -2.9, 1.45)
base.camera.lookAt(0, 0, 1.15)
# As many lights as there are, and no shadows: simplepbr's shader with unused shadow lights ends the process on Mesa's
# software renderer (seen with Mesa 22.3).
simplepbr.init(use_hardware_skinning=True, use_330=True, max_lights=3, enable_shadows=False)
room(base)
her = AvatarPlugin(base).spawn()
her.say(HELLO)
base.run()
