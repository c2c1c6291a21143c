"""The lips' arithmetic: the same bits however a voice is cut, the likeliest path, lips that touch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesics.systems.kernels import mouth, net, viterbi

CHANNELS, LAYERS, HEADS = 8, 3, 30


def made(seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return a small network of random numbers: enter, entered, gate, gated, leave, left."""
    draw = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        out = (0.2 * draw.standard_normal(shape)).astype(np.float32)
        out.flags.writeable = False  # as the shipped weights are: numba would compile all for others once more
        return out

    return (
        some(3 * net.MELS, CHANNELS), some(CHANNELS), some(LAYERS, 3 * CHANNELS, 2 * CHANNELS),
        some(LAYERS, 2 * CHANNELS), some(CHANNELS, HEADS), some(HEADS),
    )  # fmt: skip


def heard(samples: np.ndarray, cuts: list[int], is_dull: bool = False) -> np.ndarray:
    stream, past, work = np.zeros(net.STREAM), np.zeros(net.memory(CHANNELS, LAYERS), np.float32), np.zeros(net.WORK)
    stream[net.DULL] = is_dull
    rows = []
    edges = [0, *sorted(cut % (len(samples) + 1) for cut in cuts), len(samples)]
    for a, b in pairwise(edges):
        out = np.zeros((net.room(b - a), HEADS), np.float32)
        done = net.scores(samples[a:b], stream, past, *made(), out, work)
        rows.append(out[:done])
    return np.concatenate(rows)


VOICE = (0.1 * np.random.default_rng(1).standard_normal(8_000)).astype(np.float32)


@pytest.fixture(scope="module")
def whole() -> np.ndarray:
    return heard(VOICE, [])


@given(cuts=st.lists(st.integers(0, 8_000), max_size=40))
@settings(max_examples=20)
def test_the_same_samples_give_the_same_bits_however_they_are_cut(whole: np.ndarray, cuts: list[int]) -> None:
    np.testing.assert_array_equal(heard(VOICE, cuts), whole)


@pytest.mark.parametrize("is_dull", [False, True])
def test_the_network_is_the_one_of_its_formula(is_dull: bool) -> None:
    enter, entered, gate, gated, leave, left = (a.astype(np.float64) for a in made())
    padded = np.concatenate([np.zeros(240), VOICE.astype(np.float64)])
    frames = np.stack([padded[k * 160 : k * 160 + 400] for k in range(50)])
    spectra = np.abs(np.fft.rfft(frames * net.window()[:400], 512)) ** 2
    mel = np.log(spectra @ net.bank().T + net.FLOOR)
    mean, loud, x = np.zeros(40), net.LOUD, []
    for k, row in enumerate(mel):
        count = min(1 + k, net.MEMORY)
        mean = mean + (row - mean) / count
        loud = max(loud - net.FADE, np.log((net.WIDTH * np.exp(row)).sum()))
        usual = net.TRUST / (net.TRUST + count)
        x.append((row - usual * (net.USUAL + loud) - (1.0 - usual) * mean) * net.SCALE)
    x = np.array(x)
    if is_dull:  # what a recording at 8 kHz has at most
        x[:, net.TREBLE :] = 0.0

    def past(y: np.ndarray, frames: int) -> np.ndarray:
        return np.concatenate([np.zeros((frames, y.shape[1])), y])[: len(y)]

    y = np.maximum(np.concatenate([past(x, 2), past(x, 1), x], axis=1) @ enter + entered, 0.0)
    for k in range(LAYERS):
        z = np.concatenate([past(y, 2 << k), past(y, 1 << k), y], axis=1) @ gate[k] + gated[k]
        y = y + np.maximum(z[:, :CHANNELS], 0.0) / (1.0 + np.exp(-z[:, CHANNELS:]))
    np.testing.assert_allclose(heard(VOICE, [], is_dull), y @ leave + left, atol=2e-5)


def habits() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(2)
    stay = np.log(draw.uniform(0.5, 0.9, 15))
    return np.log(np.full(15, 1 / 15)), stay, np.log(draw.dirichlet(np.ones(15), 15))


def followed(logits: np.ndarray, lag: int, push: float = 0.0) -> np.ndarray:
    state, back = np.zeros(viterbi.STATES + viterbi.TAIL), np.zeros((viterbi.KEEP, viterbi.STATES), np.int32)
    out = np.zeros(len(logits), np.int32)
    viterbi.follow(logits, lag, *habits(), 0.3, 0.25, push, state, back, out)
    return out


@given(cuts=st.lists(st.integers(0, 80), max_size=6))
@settings(max_examples=20, deadline=None)
def test_of_a_known_voice_every_head_counts_with_and_without_treble_however_it_is_cut(cuts: list[int]) -> None:
    draw = np.random.default_rng(6)
    rows, dull = (draw.standard_normal((80, 45)).astype(np.float32) for _ in range(2))
    delay, share, pending = np.array([2, 5, 10]), np.array([0.2, 0.3, 0.5]), np.zeros((viterbi.SLOTS, 15))
    got = []
    for a, b in pairwise([0, *sorted(cuts), 80]):
        out = np.zeros((b - a, 15), np.float32)
        got.append(out[: viterbi.blend(rows[a:b], dull[a:b], a, delay, share, 0.4, pending, out)])
    says = [r.reshape(80, 3, 15).astype(float) for r in (rows, dull)]
    says = [r - np.log(np.exp(r).sum(axis=2, keepdims=True)) for r in says]
    both = 0.6 * says[0] + 0.4 * says[1]
    want = sum(s * both[d : 70 + d, h] for h, (d, s) in enumerate(zip(delay, share)))
    np.testing.assert_allclose(np.concatenate(got), want, atol=1e-5)


def test_with_time_to_settle_the_path_is_the_likeliest_of_all() -> None:
    logits = 2.0 * np.random.default_rng(3).standard_normal((120, 15))
    prior, stay, enter = habits()
    score = np.maximum(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), -11.5) - 0.3 * prior
    table = np.full((30, 30), -1e300)  # from state, to state
    for c in range(15):
        table[2 * c, 2 * c + 1] = 0.0
        table[2 * c + 1, 2 * c + 1] = stay[c]
        for q in range(15):
            if q != c:
                table[2 * c + 1, 2 * q] = enter[c, q]
    value, came = np.zeros(30), []
    for row in score:
        all_ways = value[:, None] + table
        came.append(all_ways.argmax(axis=0))
        value = all_ways.max(axis=0) + np.repeat(row, 2)
    at = [int(value.argmax())]
    for back in came[:0:-1]:
        at.append(int(back[at[-1]]))
    np.testing.assert_array_equal(followed(logits, 119), np.array(at[::-1]) // 2)


def test_no_shape_is_left_within_20_ms() -> None:
    shown = followed(3.0 * np.random.default_rng(4).standard_normal((2_000, 15)), 100)
    change = np.flatnonzero(np.diff(shown)) + 1
    assert np.diff(change).min() >= 2
    assert len(change) > 200


def test_lips_that_begin_to_close_stay_closed_for_30_ms() -> None:
    """One sure frame between unsure ones: without the push they would flicker."""
    logits = np.zeros((60, 15))
    logits[:, 10] = 2.0
    logits[30, 1] = 3.0
    logits[31:33, 1] = 1.2
    with_push, without = followed(logits, 5, push=3.0), followed(logits, 5)
    assert (with_push == 1).sum() >= 3
    assert (without == 1).sum() < (with_push == 1).sum()


@given(
    value=st.lists(st.floats(-0.2, 1.3), min_size=15, max_size=15),
    amount=st.floats(0.0, 1.5),
    part=st.floats(0.0, 1.0),
)
def test_no_channel_leaves_0_to_1_and_touching_lips_close_the_jaw(
    value: list[float], amount: float, part: float
) -> None:
    table = np.random.default_rng(5).uniform(0.0, 1.0, (15, 9))
    jaw = np.zeros(15)
    jaw[10] = 1.0
    weight = np.full(9, 0.3)
    none = np.zeros(0, np.int32)
    opened = mouth.show(np.array(value), amount, part, table, jaw, none, weight)
    assert 0.0 <= opened <= 1.0
    assert weight.min() >= 0.0
    assert weight.max() <= 1.0
    value[1] = 1.0
    assert mouth.show(np.array(value), amount, part, table, jaw, none, weight) == 0.0


def test_a_shape_that_is_known_begins_ahead_by_its_own_lead() -> None:
    ahead, lead, target = np.zeros(21, np.int32), np.full(15, 8), np.zeros(15)
    ahead[7:] = 10
    mouth.due(ahead, lead, 4, target)
    assert target[10] > 0.0  # 80 ms before its sound
    lead[10] = 6
    mouth.due(ahead, lead, 4, target)
    assert target[10] == 0.0
    ahead[4:6] = 1
    mouth.due(ahead, lead, 4, target)
    assert target[1] == target.sum() == 1.0


@pytest.mark.parametrize("dt", [1 / 30, 1 / 60, 1 / 240])
def test_a_shape_is_reached_at_the_same_time_at_any_rate(dt: float) -> None:
    value, velocity = np.zeros(15), np.zeros(15)
    for _ in range(round(0.1 / dt)):
        mouth.move(value, velocity, np.ones(15), np.full(15, 40.0), 1.0, 0.0, dt)
    np.testing.assert_allclose(value, 1.0 - 5.0 * np.exp(-4.0), atol=1e-12)
