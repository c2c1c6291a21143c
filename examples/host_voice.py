"""A game that plays her voice itself and tells her how far it is, so that lips and arms follow the game's own sound.

Space interrupts her, and says it again once she is silent. Where Panda has no sound card the game's clock stands in.
"""

from direct.gui.OnscreenText import OnscreenText
from direct.showbase.ShowBase import ShowBase
from panda3d.core import AudioSound, ClockObject, Filename

from kinesics.engine_plugin import AvatarPlugin
from kinesics.systems.headless import HELLO


class Game(ShowBase):
    def __init__(self):
        super().__init__()
        self.disableMouse()
        self.setBackgroundColor(0.10, 0.12, 0.16)
        self.camera.setPos(0, -2.6, 1.35)
        self.camera.lookAt(0, 0, 1.2)
        self.caption = OnscreenText(text="", pos=(0, -0.88), fg=(1, 1, 1, 1), scale=0.07, mayChange=True)
        self.voice = self.loader.loadSfx(Filename.fromOsSpecific(str(HELLO)))
        self.her = AvatarPlugin(self).spawn()
        self.her.on("started", self.start)
        self.her.on("word", lambda id, text: self.caption.setText(f"{self.caption.text} {text}"))
        self.her.on("finished", lambda id: self.end())
        self.her.on("interrupted", lambda id: self.end())
        self.spoken, self.began = None, None  # what she says, and when its first sample sounded
        self.accept("space", self.toggle)
        self.taskMgr.add(self.report, "voice position", sort=35)  # before she ticks, at 41
        self.toggle()

    def toggle(self):
        if self.spoken is None:
            self.spoken = self.her.say(HELLO, play=False)
        else:
            self.spoken.stop()

    def start(self, id):
        self.voice.play()
        self.began = ClockObject.getGlobalClock().getFrameTime()
        self.caption.setText("")

    def end(self):
        self.voice.stop()
        self.spoken, self.began = None, None

    def report(self, task):
        if self.began is not None:
            sounds = self.voice.status() == AudioSound.PLAYING
            passed = ClockObject.getGlobalClock().getFrameTime() - self.began
            self.spoken.position(self.voice.getTime() if sounds else passed)
        return task.cont


Game().run()
