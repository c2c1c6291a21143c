"""One window with her in it, from opening to closing: what a key, a knob or a file asks for is done here."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from panda3d.core import ClockObject

from ...components.config import Config
from ...components.config.sections import FRAMINGS
from ...components.errors import KinesicsError
from ...components.voice import Voice
from ...systems import headless
from ...systems.avatar import Avatar
from ...systems.figures import Recorder, Run
from ...systems.figures.replay import save
from .. import settings
from ..plugin import AvatarPlugin
from . import fence, kept, keys, pictures, postures, store
from .aloud import Aloud
from .backdrop import Backdrop
from .captions import caption
from .desk import Desk
from .devices import Devices
from .dialog import Dialog, desktop_dialog
from .eye import Eye
from .frames import Folder, Pipe
from .knobs import knobs
from .loading import bring_on
from .opening import open_base
from .orbit import Orbit
from .overlay import Overlay
from .panel import open_panel
from .readings import TickTimes, readings
from .tuner import Tuner
from .wardrobe import Wardrobe

WAIT = 2.0  # s that she stands and breathes before she greets
AFTER = 1.0  # s that a run goes on after the voice
SUBTITLE = 0.085  # of the window's height, beyond the floor below her feet, that a subtitle takes
_AT_START = ("width", "height", "samples", "vsync")  # of [window]: what an open window does not change


class Window:
    """The app's window. first_frame: s from the start of the app to the first frame with her in it, None before.

    wear, close and everything of `plugin` and `her` may be called from any thread; the rest from the window's own.
    """

    def __init__(
        self,
        config: Config | None = None,
        fps: float = 60.0,
        *,
        file: Path | None = None,
        is_kept: bool = False,
        sink: Folder | Pipe | None = None,
        is_window: bool = True,
    ) -> None:
        """Open it. Raises KinesicsError where it cannot be opened.

        file: settings that are read again when it changes; is_kept: without a file, settings are remembered
        sink: takes every frame of her, with alpha; is_window: False draws in memory alone
        """
        self._began, self._aloud = time.perf_counter(), Aloud()
        self._early: list[str] = []  # what there was to say before there was a window to say it in
        if is_kept and file is None:
            file = store.remembered()
            config = store.recall(file, self._early.append)
        else:
            is_kept = False
        self.config = config or Config.default()
        self.first_frame: float | None = None
        self.is_open = True
        self.base = open_base(self.config, is_window=is_window)
        self.base.userExit = self.close  # the window's own close button ends the loop, not the process
        self._sink, self._had_sound = sink, settings.sound.getValue()
        self._set_clock(fps)
        self.plugin = AvatarPlugin(self.base, self.config)
        self.plugin.viewer = self.base.cam
        self.overlay, self.backdrop, self.desk = Overlay(self.base), Backdrop(self.base), Desk(self.base)
        self.backdrop.show(self.config.window)
        self.panel = open_panel(self.base, self.tell)
        self.devices, self.times = Devices(), TickTimes()
        self.plugin.each_tick.append(lambda world: self.times.take(world.tick_seconds))
        self.tuner = Tuner(self.plugin.world, self.config, file, self.tell, is_kept=is_kept)
        self.tuner.on_change = self._change
        self._knobs = knobs(self)
        self._is_kept, self._frames_s = is_kept, fps
        self._eye: Eye | None = None
        self.dialog = Dialog(self.base, lambda path: self.wardrobe.wear(path))
        self.base.accept("kinesics-degraded", lambda who, data: self.overlay.warn(str(data.get("what", ""))))
        self.base.accept("kinesics-fell_back", lambda who, data: self.overlay.warn(fence.said(data)))
        for line in self._early:
            self.tell(line)

    def run(
        self, avatar: str | Path | None = None, corpus: str | Path | None = None, said: dict[str, Any] | None = None,
        seconds: float | None = None, record: bool = False, replay_out: Path | None = None, mic: bool = False,
        posture: str = "",
    ) -> Run | None:  # fmt: skip
        """Show her until it is over; arguments as `run_window`."""
        her, self._worn_path = bring_on(self, avatar, corpus)
        if her is None:
            return None
        self.plugin.show(her)
        self.wardrobe = Wardrobe(self.plugin, her, self.tell)
        self.wardrobe.on_worn = self._worn
        self.orbit = Orbit(self.base, self.plugin.figure(her), self.config.window.framing)
        self.orbit.is_free = lambda: not self.panel.has_mouse
        self._settle()
        recorder = Recorder(self.plugin.world, her.entity) if record else None
        if recorder is not None:
            self.plugin.each_tick.append(recorder.record)
        tape = None
        if replay_out is not None:  # a replay may be started from any folder, so its files are named in full
            named = (path and Path(path).resolve() for path in (avatar, corpus))
            tape = headless.tape(self.plugin.world, *named)
            self.plugin.each_tick.append(tape.record)
            self.plugin.grading.replay = str(Path(replay_out).resolve())
        if record or tape is not None:
            self.wardrobe.is_fixed = "this run is being recorded, so she stays who she is"
        if said is not None:
            her.say(**said)
        if mic:
            her.listen()
        if posture:
            postures.take(self, posture)
        keys.bind(self)
        self._until_over(said is not None, seconds, greets=not mic)
        if tape is not None and replay_out is not None:
            save(tape, replay_out)
        return recorder.run() if recorder is not None else None

    @property
    def her(self) -> Avatar:
        """Who is on stage now."""
        return self.wardrobe.her

    def wear(self, path: str | Path) -> None:
        """Ask for another avatar, "" for the shipped woman; from any thread."""
        self.wardrobe.wear(path)

    def saw_her(self) -> None:
        """Note that a frame with her in it has been drawn."""
        if self.first_frame is None:
            self.first_frame = time.perf_counter() - self._began
            kept.settle()

    def close(self) -> None:
        """End the loop."""
        self.is_open = False

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_kept:
            self._remember_size()
        self.tuner.close()
        if hasattr(self, "wardrobe"):
            self.wardrobe.close()
        if self._sink is not None:
            self._aloud.say(self._sink.close())
            settings.sound.setValue(self._had_sound)
        if self._eye is not None:
            self._eye.close()
        for part in (self.panel, self.dialog, self.overlay, self.backdrop):
            part.remove()
        self.plugin.destroy()
        self.base.ignoreAll()
        del self.base.userExit
        self.base.destroy()
        self._aloud.close()
        kept.release()

    def tell(self, text: str) -> None:
        """Say one line, in the window and on standard error."""
        line = " ".join(text.split())
        self._aloud.say(line)
        self.overlay.warn(line)

    def attempt(self, call: Callable[[], Any]) -> None:
        """Do something that may not work here: then it is told, and she goes on."""
        try:
            call()
        except KinesicsError as cause:
            self.tell(str(cause))

    def toggle(self, name: str) -> None:
        """Turn a switch of [window] the other way."""
        self.set("window", name, not getattr(self.tuner.config.window, name))

    def toggle_help(self) -> None:
        """Show the help card, or take it away."""
        from ... import __version__

        self.overlay.help(None if self.overlay.is_helping else keys.help_rows(), f"kinesics {__version__}")

    def frame(self, number: int | None) -> None:
        """Show one of FRAMINGS by its number, None the next."""
        now = FRAMINGS.index(self.orbit.framing)
        framing = FRAMINGS[(now + 1) % len(FRAMINGS) if number is None else number]
        self.set("window", "framing", framing)
        self.orbit.frame(framing)  # also where it is the same and the wheel has moved it

    def speak(self) -> None:
        """Have her say her sentence, or stop what she says."""
        if self.her.speaking:
            self.her.stop()
        else:
            self.her.say(headless.HELLO)

    def listen(self) -> None:
        """Take a microphone as her voice, or leave it."""
        self.her.listen(is_on := not self.plugin.world.get(self.her.entity, Voice).listening)
        self.overlay.tell("a microphone is her voice" if is_on else "the microphone is off")

    def choose_avatar(self) -> None:
        """Ask for an avatar's file."""
        self.dialog.ask(desktop_dialog())

    def toggle_click_through(self) -> None:
        """Let clicks through her, or catch them again."""
        self.desk.click_through = not self.desk.click_through
        if "click-through" in self.desk.why_not:
            self.tell(f"clicks do not go through her: {self.desk.why_not['click-through']}")
        elif self.desk.click_through:
            self.overlay.tell("clicks go through her; switch to her with the keyboard and press Shift C to end it")
        else:
            self.overlay.tell("clicks stay with her")

    def take_picture(self) -> Path:
        """Write a picture of her without the writing, and return its path."""
        size = (self.base.win.getXSize(), self.base.win.getYSize())
        eye = Eye(self.base, size, self.config.window.samples)
        try:
            self.orbit.aim(eye.camera, size[0] / size[1])
            path = pictures.keep(eye.look(), self.tuner.config.window)
        finally:
            eye.close()
        self.overlay.tell(f"{path}")
        return path

    def settings(self) -> Config:
        """Return what is set now."""
        return self.tuner.config

    def set(self, section: str, key: str, value: Any) -> None:
        """Set one value."""
        self.tuner.set(section, key, value)

    def names_of(self, kind: str) -> tuple[str, ...]:
        """Return the devices of a kind."""
        return self.devices.names(kind)

    def _until_over(self, has_voice: bool, seconds: float | None, *, greets: bool = True) -> None:
        """Draw frames until the window is closed, `seconds` are over, or the voice has been silent for AFTER."""
        is_greeting = greets and not has_voice and seconds is None
        quiet_from: int | None = None
        world = self.plugin.world
        self.overlay.tell("H shows what keys do")
        while self.is_open:
            self._draw(ClockObject.getGlobalClock().getDt())
            self.saw_her()
            if is_greeting and world.tick * world.dt >= WAIT:
                self.her.say(headless.HELLO)
                is_greeting = False
            if seconds is not None and world.tick * world.dt >= seconds:
                break
            if seconds is None and has_voice:
                quiet_from = None if self.her.speaking or world.tick == 0 else (quiet_from or world.tick)
                if quiet_from is not None and (world.tick - quiet_from) * world.dt >= AFTER:
                    break

    def _draw(self, dt: float) -> None:
        """Take what came in between two frames, draw one, hand it on."""
        for part in (self.tuner, self.wardrobe, self._aloud):
            part.update()
        width = max(self.base.win.getXSize(), 1)
        self.overlay.left = min(self.panel.width, width // 2)
        self.orbit.left = self.overlay.left / width
        is_titled = self.tuner.config.window.subtitles
        self.orbit.below = SUBTITLE if is_titled else 0.0
        self.orbit.update(dt)
        if self._eye is not None:
            self.orbit.aim(self._eye.camera, self._eye.size[0] / self._eye.size[1])
        if dt > 0.0:
            self._frames_s += 0.05 * (1.0 / dt - self._frames_s)
        voice = self.plugin.world.get(self.her.entity, Voice)
        figures = self.her.figures()
        said = voice.current.speech if voice.current is not None else None
        self.overlay.subtitle(caption(said, voice.position), figures["layers"], is_titled)
        if self.panel.is_shown:
            shown = readings(figures, self.times, self._frames_s, self._states())
            self.panel.draw(shown, self._knobs, dt)
        self.overlay.update()
        self.base.taskMgr.step()
        if self._eye is not None and self._sink is not None:
            self._hand_on(self._eye, self._sink)

    def _hand_on(self, eye: Eye, sink: Folder | Pipe) -> None:
        seen = eye.seen()
        fault = sink.take(seen) if seen is not None else ""
        if fault:
            self.tell(fault)
            eye.close()
            self._eye = None

    def _states(self) -> dict[str, str]:
        """Return what does not work of what only the engine knows, by name."""
        out = dict(self.desk.why_not)
        sound = self.plugin.sound(self.her)
        for name, device in (("sound", sound.player), ("microphone", sound.microphone)):
            if device is not None and not device.state.is_heard and device.state.name not in ("idle", "opening"):
                out[name] = f"{device.state.name}; {device.state.cure}"
        if self.devices.fault:
            out["devices"] = self.devices.fault
        return out | fence.missed(self)

    def _change(self, old: Config, new: Config) -> None:
        """Follow settings that were changed, by a knob or in the file."""
        self.config = new
        was, now = old.window, new.window
        if (was.background, was.key, was.key_colour) != (now.background, now.key, now.key_colour):
            self._dress_stage()
        if was.on_top != now.on_top:
            self._keep_on_top(now.on_top)
        if was.framing != now.framing:
            self.orbit.frame(now.framing)
        if was.panel != now.panel:
            self._show_panel(now.panel)
        if was.avatar != now.avatar and now.avatar != self._worn_path:
            self.wardrobe.wear(now.avatar)
        if old.run.stillness != new.run.stillness:
            self.her.stillness = new.run.stillness
        fence.follow(self, old.fence, new.fence)
        if old.reflex.file != new.reflex.file:
            self.overlay.tell("how she stands changes with the next avatar or the next start")
        if any(getattr(was, name) != getattr(now, name) for name in _AT_START):
            self.overlay.tell("the window's size and smoothness change with its next start")

    def _dress_stage(self) -> None:
        """Show wall and shade as the settings say."""
        window = self.tuner.config.window
        self.backdrop.show(window)
        shade = self.plugin.figure(self.her).shade
        if shade is not None:  # on a key colour it would stay as a stain
            (shade.hide if window.key else shade.show)()

    def _settle(self) -> None:
        """Begin as the settings say."""
        window = self.config.window
        self._dress_stage()
        if window.panel:
            self._show_panel(True)
        if window.on_top:
            self._keep_on_top(True)
        if self._sink is not None:
            self._eye = Eye(self.base, (window.width, window.height), window.samples)
            self._eye.is_open = True

    def _show_panel(self, is_on: bool) -> None:
        self.panel.show(is_on)
        if is_on:
            self.devices.look()

    def _keep_on_top(self, is_on: bool) -> None:
        self.desk.on_top = is_on
        if "on top" in self.desk.why_not:
            self.tell(f"she does not stay on top: {self.desk.why_not['on top']}")

    def _worn(self, her: Avatar, path: str) -> None:
        """Follow another avatar that has come on stage."""
        self.orbit.look_at(self.plugin.figure(her))
        self._worn_path = str(Path(path).expanduser().resolve()) if path else ""
        self.set("window", "avatar", self._worn_path)
        self._dress_stage()
        kept.settle()
        self.overlay.tell(f"{her.body.source}: {len(her.body.rig.names)} joints, {len(her.body.morph_names)} shapes")

    def _remember_size(self) -> None:
        size = {"width": self.base.win.getXSize(), "height": self.base.win.getYSize()}
        self.tuner.on_change = lambda old, new: None
        for name, value in size.items():
            if value != getattr(self.tuner.config.window, name):
                self.set("window", name, value)

    def _set_clock(self, fps: float) -> None:
        clock = ClockObject.getGlobalClock()
        if self._sink is not None and not self._sink.is_live:
            clock.setMode(ClockObject.MNonRealTime)  # each picture is exactly one frame later, however long it takes
            clock.setDt(1.0 / fps)
            settings.sound.setValue(False)
        else:
            clock.setMode(ClockObject.MLimited)
            clock.setFrameRate(fps)
