"""What a window of the sentence model costs on one thread, beside its layers written down plainly; and its memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...components.gesture import SAMPLES, WINDOW
from . import Figure, entry

_RUNS = 7
_MEMORY = """
import sys
import kinesics
from kinesics.systems.speech_gesture.model import Model, condition, load_model
import numpy as np, torch
torch.set_num_threads(1)
model = load_model(sys.argv[1])
draw = np.random.default_rng(1)
sound = condition(np.zeros(68224, np.float32))
noise = draw.standard_normal((32, 384), np.float32)
made = model.window(sound, np.full(128, 3), model.rest_seed, noise)
model.encode(model.decode(made)[:16])
most = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(most.split()[1]) * 1024)
"""


def figures() -> list[Figure]:
    """Return speech.*: ms a window with decoding, in two guided steps and in one of MeanFlow; bytes at most."""
    import torch  # pyright: ignore[reportMissingImports]

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        guided, plainly = _both("shortcut")
        fast, plainly_fast = _both("meanflow")
    finally:
        torch.set_num_threads(threads)
    return [
        entry("speech.window_ms", guided, "ms", goal=400.0, reference=("plain torch", plainly)),
        entry("speech.window_ratio", guided / plainly, "x plain torch", goal=0.95),
        entry("speech.meanflow_ms", fast, "ms", goal=250.0, reference=("plain torch", plainly_fast)),
        entry("speech.meanflow_ratio", fast / plainly_fast, "x plain torch", goal=0.95),
        entry("speech.bytes", _memory(), "bytes", goal=0.7e9),
    ]


def _both(sampler: str) -> tuple[float, float]:
    """Return ms of CPU of a window, ours and plain, taken in turns: what slows one slows the other."""
    from ...systems.speech_gesture.model import condition, filled_model

    draw = np.random.default_rng(1)
    sound = condition((0.1 * draw.standard_normal(WINDOW * SAMPLES)).astype(np.float32))
    words = draw.integers(0, 11195, WINDOW)
    seed, noise = (draw.standard_normal((n, 384), np.float32) for n in (4, 32))
    model = filled_model(sampler=sampler)
    plain = _plain(model.steps, sampler == "meanflow")

    def ours() -> Any:
        made = model.window(sound, words, seed, noise)
        assert made is not None
        return made, model.decode(made)

    def theirs() -> Any:
        return plain(sound, words, seed, noise)

    off = float(np.abs(ours()[0] - theirs()[0]).max())
    if off > 1e-4:
        raise AssertionError(f"the two ways of one window differ by {off}")
    taken = [(_cpu(ours), _cpu(theirs)) for _ in range(_RUNS)]
    return min(a for a, _ in taken), min(b for _, b in taken)


def _plain(steps: int, is_meanflow: bool) -> Callable[..., Any]:
    """Return the plain network as a function of the same arrays: latents and each part's motion."""
    import torch  # pyright: ignore[reportMissingImports]

    from ...systems.speech_gesture.model import layout, source
    from . import plain_network

    made = source.Filled()
    with torch.inference_mode():
        generator = plain_network.Generator(11195).eval()
        generator.load_state_dict(dict(made.tensors("generator")), strict=True)
        bodies = [plain_network.Body(part).eval() for part in layout.PARTS]
        for body, part in zip(bodies, layout.PARTS):
            tensors = made.tensors(part)
            read = {key: tensors[key] for key in tensors if not key.startswith("encoder.")}
            body.load_state_dict(read, strict=True)

    def window(*arrays: Any) -> Any:
        with torch.inference_mode():
            x = generator(*(torch.from_numpy(a)[None] for a in arrays), steps, is_meanflow)
            return x[0].numpy(), [body(part).numpy() for body, part in zip(bodies, x.chunk(3, -1))]

    return window


def _cpu(work: Callable[[], Any]) -> float:
    """Return ms of this thread: on a machine that others use too, a window is never left alone for its whole length."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1e3


def _memory() -> float:
    """Return bytes of a process that loads the model, makes a window and takes up what is shown."""
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY, "filled"], capture_output=True, text=True, check=True, timeout=300
    )
    return float(done.stdout)
