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
    "floor": ((-3, 3, -3, 3), (0, 0, 0), (0, -90), (0.20, 0.12, 0.07)),
    "back wall": ((-3, 3, 0, 3), (0, 1.6, 0), (0, 0), (0.34, 0.31, 0.27)),
    "left wall": ((-3, 3, 0, 3), (-1.5, 0, 0), (90, 0), (0.10, 0.19, 0.21)),
    "picture": ((-0.45, 0.45, 1.25, 1.9), (0.95, 1.58, 0), (0, 0), (0.55, 0.18, 0.07)),
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
        (DirectionalLight("window"), (1.6, 1.5, 1.35), (-2, -4, 4)),
        (PointLight("lamp"), (0.9, 0.55, 0.3), (1.4, -0.4, 2.2)),
        (AmbientLight("room"), (0.22, 0.24, 0.30), (0, 0, 0)),
    ]
    for light, color, at in lights:
        light.setColor((*color, 1))
        path = base.render.attachNewNode(light)
        path.setPos(*at)
        path.lookAt(0, 0, 1)
        base.render.setLight(path)


base = ShowBase()
base.disableMouse()
base.camera.setPos(0.8, -2.7, 1.5)
base.camera.lookAt(-0.1, 0, 1.1)
# As many lights as there are, and no shadows: simplepbr's shader with unused shadow lights ends the process on Mesa's
# software renderer (seen with Mesa 22.3).
simplepbr.init(use_hardware_skinning=True, use_330=True, max_lights=3, enable_shadows=False)
room(base)
her = AvatarPlugin(base).spawn()
her.say(HELLO)
base.run()
