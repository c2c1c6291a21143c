"""Her voice on its way out of the loudspeaker, and a microphone's on its way in, beside her state in the world."""

from __future__ import annotations

from collections.abc import Iterator

from ..components.speech import RATE
from ..components.voice import Utterance, Voice
from ..systems.avatar import Avatar, Sound
from . import settings
from .microphone import Microphone
from .playback import Player
from .sound import SoundState


class HerSound:
    """What one avatar's sound needs of the machine. The world says what to play; this says how far it has sounded."""

    def __init__(self, her: Avatar) -> None:
        self.her = her
        self.player: Player | None = None
        self.microphone: Microphone | None = None
        self._leaving: list[Microphone] = []  # told to close; a frame does not wait for it
        self._sounds: dict[int, Sound] = {}
        self._sounding = 0  # number of the utterance that is on the sound card
        self._prepared = 0  # number of the one that the device was opened for ahead of its first sample
        self._told: dict[str, str] = {}  # the last state of each device that was worth telling
        her.sounds = self._sounds

    @property
    def is_on(self) -> bool:
        """Whether this host wants sound at all."""
        return settings.sound.getValue()

    def hear(self) -> None:
        """Hand what the microphone heard to her next tick; open or close it as she listens or not."""
        voice, config = self._voice, self.her.world.config.sound
        if voice.listening and self.is_on:
            if self.microphone is None:
                self.microphone = Microphone(config.input or None)
            self.microphone.device = config.input or None
            samples = self.microphone.read()
            if len(samples):
                self.her.heard(samples)
        elif self.microphone is not None:
            self.microphone.leave()
            self._leaving.append(self.microphone)
            self.microphone = None

    def report(self) -> None:
        """Tell her next tick how far her voice has sounded: just before it, or her lips are a frame late."""
        if self._sounding and self.player is not None:
            self.her.post("position", id=self._sounding, seconds=self.player.position_s)

    def tell(self, name: str, number: int) -> None:
        """Follow what her tick said of an utterance."""
        if name == "started":
            self._start(number)
        elif name in ("finished", "interrupted"):
            self._sounds.pop(number, None)
            if number in (self._sounding, self._prepared):
                is_cut = name == "interrupted"
                self._sounding = self._prepared = 0
                if self.player is not None and is_cut:
                    self.player.stop()

    def follow(self) -> Iterator[str]:
        """Open the device where it will soon be wanted, and yield what cannot be heard, once each, as one line."""
        voice = self._voice
        self._prepare(voice)
        if self._sounding and self.player is not None:
            self.player.volume = self.her.world.config.sound.volume
            yield from self._news("loudspeaker", self.player.state, "she cannot be heard")
        if self.microphone is not None:
            yield from self._news("microphone", self.microphone.state, "her live voice does not come in")

    def close(self) -> None:
        """Silence her and let go of every device."""
        player, microphone = self.player, self.microphone
        self.player = self.microphone = None
        self.her.sounds = None
        for device in (player, microphone, *self._leaving):
            if device is not None:
                device.close()

    @property
    def _voice(self) -> Voice:
        return self.her.world.get(self.her.entity, Voice)

    def _plays(self, utterance: Utterance) -> bool:
        return utterance.play and self.is_on

    def _sound_of(self, utterance: Utterance) -> Sound:
        """Return its samples at their own rate; of one that was said before she was shown there are only ours."""
        found = self._sounds.get(utterance.id)
        return found if found is not None else Sound(RATE, (utterance.speech.audio,), is_ended=True)

    def _player(self, sound: Sound) -> Player:
        config = self.her.world.config.sound
        if self.player is None:
            self.player = Player()
        self.player.device, self.player.volume = config.output or None, config.volume
        self.player.begin(sound)
        return self.player

    def _prepare(self, voice: Voice) -> None:
        """Open the device for a stream that has just begun: by its first chunk it can sound."""
        if voice.current is not None or not voice.queue:
            return
        waiting = voice.queue[0]
        if waiting.id in voice.streams and waiting.id != self._prepared and self._plays(waiting):
            self._prepared = waiting.id
            self._player(self._sound_of(waiting)).prepare()

    def _start(self, number: int) -> None:
        current = self._voice.current
        if current is None or current.id != number or not self._plays(current):
            return
        is_prepared = self._prepared == number and self.player is not None
        player = self.player if is_prepared else self._player(self._sound_of(current))
        self._sounding, self._prepared = number, 0
        assert player is not None
        player.go()

    def _news(self, part: str, state: SoundState, what: str) -> Iterator[str]:
        told = state.name + (state.detail if state.is_heard else "")  # what a driver says may differ each time
        if state.name in ("idle", "opening") or told == self._told.get(part):
            return
        self._told[part] = told
        if not state.is_heard or state.detail:
            yield f"{what}: {state.name} ({state.detail}); {state.cure}"
