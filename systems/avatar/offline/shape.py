"""Which shapes of the source make her body and face, and how much of each."""

from __future__ import annotations

from itertools import product

from ....components.arrays import F64
from .options import Options
from .source import Source

RACE = {"caucasian": 0.55, "asian": 0.45}  # must sum to 1: each race file carries the whole sex and age
IDEAL = 0.55  # share of the source's "idealproportions"
SMALL_CUP = 0.45

# Tuned by eye on the rendered portrait: softer jaw, small nose, open eyes, corners of the mouth barely up.
FACE: tuple[tuple[str, float], ...] = (
    ("eyes/l-eye-scale-incr", 0.75),
    ("eyes/r-eye-scale-incr", 0.75),
    ("eyes/l-eye-height2-incr", 0.25),
    ("eyes/r-eye-height2-incr", 0.25),
    ("eyebrows/eyebrows-trans-down", 0.20),
    ("head/head-oval", 0.60),
    ("nose/nose-scale-horiz-decr", 0.30),
    ("nose/nose-volume-decr", 0.25),
    ("chin/chin-width-decr", 0.60),
    ("chin/chin-jaw-drop-decr", 0.20),
    ("cheek/l-cheek-bones-incr", 0.20),
    ("cheek/r-cheek-bones-incr", 0.20),
    ("mouth/mouth-angles-up", 0.40),
    ("mouth/mouth-scale-horiz-decr", 0.10),
    ("mouth/mouth-upperlip-volume-incr", 0.25),
)

# With hanging arms the source's shoulders are 44 cm wide over the sleeves and read as an athlete's; these give 40.
BODY: tuple[tuple[str, float], ...] = (
    ("torso/measure-shoulder-dist-decr", 0.55),
    ("arms/l-upperarm-shoulder-muscle-decr", 0.80),
    ("arms/r-upperarm-shoulder-muscle-decr", 0.80),
    ("arms/l-upperarm-fat-decr", 0.30),
    ("arms/r-upperarm-fat-decr", 0.30),
    ("torso/torso-muscle-dorsi-decr", 0.50),
    ("stomach/stomach-tone-incr", 0.40),
    ("neck/neck-scale-horiz-decr", 0.30),
    ("neck/neck-double-decr", 0.30),
)

# The source's heaviest body is 2 cm rounder than its average; all of these belong to a weight of 1.
HEAVY: tuple[tuple[str, float], ...] = (
    ("stomach/stomach-tone-decr", 1.00),
    ("torso/torso-scale-depth-incr", 0.60),
    ("torso/torso-scale-horiz-incr", 0.70),
    ("hip/hip-scale-horiz-incr", 0.70),
    ("hip/hip-scale-depth-incr", 0.60),
    ("arms/l-upperarm-fat-incr", 1.00),
    ("arms/r-upperarm-fat-incr", 1.00),
    ("arms/l-lowerarm-fat-incr", 0.60),
    ("arms/r-lowerarm-fat-incr", 0.60),
    ("legs/l-upperleg-fat-incr", 1.00),
    ("legs/r-upperleg-fat-incr", 1.00),
    ("legs/l-lowerleg-fat-incr", 0.70),
    ("legs/r-lowerleg-fat-incr", 0.70),
    ("head/head-fat-incr", 0.70),
    ("neck/neck-double-incr", 0.60),
)

# Face units that stay on in the neutral face. The lips of this mix are parted 1-2 mm and showed a bright line of
# teeth; 7 % of mouthClose shuts them. The rest is the trace of a smile and lids
# that rest on the iris: wide open they stare.
NEUTRAL: dict[str, float] = {
    "mouthClose": 0.07,
    "mouthSmileLeft": 0.16,
    "mouthSmileRight": 0.16,
    "eyeBlinkLeft": 0.03,
    "eyeBlinkRight": 0.03,
}


def _slider(value: float, low: str, high: str) -> dict[str, float]:
    """Return the shares of the two files that a half slider mixes; average is always the middle."""
    middle = {"muscle": "averagemuscle", "weight": "averageweight"}[low.removeprefix("min")]
    if value < 0.5:
        return {low: 1.0 - value / 0.5, middle: value / 0.5}
    return {middle: 1.0 - (value - 0.5) / 0.5, high: (value - 0.5) / 0.5}


def recipe(options: Options, tall: float) -> dict[str, float]:
    """Return body shape name -> weight. `tall`: -1 shortest of the source, 0 average, 1 tallest."""
    old = (options.age - 0.5) / 0.5
    ages = {"young": 1.0 - old, "old": old}
    muscles = _slider(options.muscle, "minmuscle", "maxmuscle")
    weights = _slider(options.weight, "minweight", "maxweight")
    sexes = {"female": 1.0 - options.gender, "male": options.gender}
    mix: dict[str, float] = {}
    for (race, share), (age, of_age), (sex, s) in product(RACE.items(), ages.items(), sexes.items()):
        mix[f"macrodetails/{race}-{sex}-{age}"] = share * of_age * s
    for (sex, s), (age, a), (muscle, m), (weight, w) in product(*(t.items() for t in (sexes, ages, muscles, weights))):
        body, share = f"{sex}-{age}-{muscle}-{weight}", s * a * m * w
        mix[f"macrodetails/universal-{body}"] = share
        mix[f"macrodetails/proportions/{body}-idealproportions"] = share * IDEAL
        mix[f"macrodetails/height/{body}-{'max' if tall > 0 else 'min'}height"] = share * abs(tall)
        if sex == "female":
            mix[f"breast/{body}-mincup-averagefirmness"] = share * SMALL_CUP
    over = max(options.weight - 0.5, 0.0) / 0.5
    mix.update({name: weight * sexes["female"] for name, weight in FACE})
    mix.update({name: weight * sexes["female"] * (1.0 - over) for name, weight in BODY})
    for name, weight in HEAVY:
        mix[name] = mix.get(name, 0.0) + weight * over
    return {name: weight for name, weight in mix.items() if abs(weight) > 1e-9}


def shaped(source: Source, options: Options, tall: float) -> F64:
    """Return the (V, 3) vertices in m of her body before it is re-posed. Files the source lacks count as average."""
    position = source.position.copy()
    for name, weight in recipe(options, tall).items():
        delta = source.target(name)
        if delta is not None:
            position += weight * delta
    for name, weight in NEUTRAL.items():
        position += weight * source.face_unit(name)
    return position
