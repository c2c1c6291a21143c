"""The published files become one folder, and only whole and right ones do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kinesics.components.errors import ModelError
from kinesics.engine_plugin.cli import main
from kinesics.systems.speech_gesture.model import layout, source
from kinesics.systems.speech_gesture.offline import checkpoint
from kinesics.systems.speech_gesture.offline.convert import convert, digest

from . import published

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def files(torch: Any, weights: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("safetensors", reason="safetensors is not installed: pip install 'kinesics[speech]'")
    folder = tmp_path_factory.mktemp("published")
    published.checkpoints(folder, weights, torch)
    published.statistics(folder)
    published.vocabulary(folder / "vocab.pkl")
    return folder


@pytest.fixture(scope="module")
def model(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("converted") / "model"
    assert main(["speech", "convert", str(files), "-o", str(out)]) == 0
    return out


def test_the_converted_model_is_the_published_one(files: Path, model: Path, weights: Any) -> None:
    about = json.loads((model / source.ABOUT).read_text(encoding="utf-8"))
    assert about["made_from"]["generator"] == {
        "file": "shortcut_reflow.bin",
        "sha256": digest(files / "shortcut_reflow.bin"),
    }
    assert (about["sampler"], about["steps"], about["vocabulary"]) == ("shortcut", 2, 11195)
    made = source.Converted(model)
    assert made.vocabulary == published.WORDS
    for part in ("generator", *layout.PARTS):
        found = made.tensors(part)
        assert set(found) == {key for key in weights[part] if key not in layout.UNREAD}
        for key in list(found)[::17]:
            if not key.endswith("num_batches_tracked"):
                assert np.array_equal(found[key], weights[part][key])
    for name, value in source.Filled().stats().items():
        assert np.array_equal(made.stats()[name], value)


def test_the_check_loads_it_says_a_sentence_twice_and_draws_it(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "check.png"
    assert main(["speech", "check", str(model), "-o", str(picture), "--json"]) == 0
    with Image.open(picture) as drawn:
        colours = np.unique(np.asarray(drawn.convert("RGB").resize((80, 40))).reshape(-1, 3), axis=0)
    assert len(colours) > 100  # she is on it
    found = json.loads(capsys.readouterr().out)
    assert found["tensors"] == 334 - len(layout.UNREAD) + 3 * 84 + len(source.STATS)
    assert found["vocabulary"] == len(published.WORDS)
    assert found["still joints"] == 3  # jaw and eyes: all others move
    jump, usual = (float(text.split()[-1]) for text in found["sentence jump deg"].split(", inside"))
    assert jump <= 1.1 * usual


def test_generated_motion_is_a_file_that_smplx_tools_read(model: Path, tmp_path: Path, request: Any) -> None:
    wav, out = request.config.rootpath / "assets" / "hello.wav", tmp_path / "hello.npz"
    assert main(["speech", "generate", str(wav), "--weights", str(model), "-o", str(out)]) == 0
    with np.load(out, allow_pickle=False) as data:
        frames = len(data["rotation"])
        assert data["poses"].shape == (frames, 165)
        assert data["trans"].shape == (frames, 3)
        assert np.allclose(np.linalg.norm(data["rotation"], axis=-1), 1.0, atol=1e-5)
        assert np.linalg.norm(data["poses"].reshape(-1, 3), axis=-1).max() <= np.pi + 1e-5


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        (source.WEIGHTS, lambda path: path.write_bytes(b"cut off"), "bytes, model.json says"),
        (source.WEIGHTS, lambda path: path.unlink(), "cannot be read"),
        (source.ABOUT, lambda path: path.write_text("{"), "not JSON"),
        (source.ABOUT, lambda path: path.write_text('{"format": 2}'), "format 2"),
        (source.ABOUT, lambda path: path.write_text("[]"), "not a converted model"),
        (source.VOCABULARY, lambda path: path.write_text('{"a": 11195}'), "numbers below 11195"),
    ],
)
def test_a_damaged_model_is_one_line(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, change: Any, said: str
) -> None:
    for name in (source.ABOUT, source.VOCABULARY):
        (tmp_path / name).write_bytes((model / name).read_bytes())
    (tmp_path / source.WEIGHTS).hardlink_to(model / source.WEIGHTS)
    if file == source.WEIGHTS:  # the damage must not reach the other
        (tmp_path / file).unlink()
        (tmp_path / file).touch()
    change(tmp_path / file)
    assert main(["speech", "check", str(tmp_path)]) == 1
    *_, error = capsys.readouterr().err.strip().splitlines()
    assert said in error


def test_weights_with_one_bit_turned_are_found_out(model: Path, tmp_path: Path) -> None:
    for name in (source.ABOUT, source.VOCABULARY):
        (tmp_path / name).write_bytes((model / name).read_bytes())
    shutil.copyfile(model / source.WEIGHTS, tmp_path / source.WEIGHTS)
    with (tmp_path / source.WEIGHTS).open("r+b") as file:
        file.seek(100_000_000)
        bit = file.read(1)[0] ^ 1
        file.seek(100_000_000)
        file.write(bytes([bit]))
    assert source.Converted(tmp_path).hash  # a start does not look for it: it would take a second each time
    assert main(["speech", "check", str(tmp_path)]) == 1


def test_a_wrong_checkpoint_is_one_line(torch: Any, weights: Any, tmp_path: Path) -> None:
    upper = dict(weights["upper"])

    def saying(said: str, state: Any) -> None:
        path = tmp_path / "net_300000_upper.pth"
        torch.save(state, path)
        with pytest.raises(ModelError, match=said) as caught:
            checkpoint.read(path)
        assert "\n" not in str(caught.value)

    partial = {key: value for key, value in upper.items() if not key.startswith("quantizer.layers.5")}
    saying("3 of 84 tensors missing, first 'quantizer.layers.5.codebook'", {"net": partial})
    saying("1 tensors too many, first 'more'", {"net": upper | {"more": torch.zeros(1)}})
    saying(
        r"'encoder.model.0.bias' is \(3,\), wanted \(512,\)", {"net": upper | {"encoder.model.0.bias": torch.zeros(3)}}
    )
    saying("not finite", {"net": upper | {"encoder.model.0.bias": torch.full((512,), float("nan"))}})
    saying(
        "wanted numbers with a point", {"net": upper | {"encoder.model.0.bias": torch.zeros(512, dtype=torch.int32)}}
    )
    saying("is no tensor", {"net": upper | {"encoder.model.0.bias": "text"}})
    saying("is no tensor", {"net": upper | {"encoder.model.0.bias": torch.zeros(512).to_sparse()}})
    saying("is no tensor", {"net": upper | {"encoder.model.0.bias": torch.zeros(512, device="meta")}})
    words = "modality_encoder.text_pre_encoder_body.weight"
    saying("MB in a file of 0 MB", {words: torch.zeros(1, 300).expand(2_000_000_000, 300)})  # 2.4 TB in 2 kB
    saying("neither the generator's nor a body part's", {"net": {"face.weight": torch.zeros(3)}})
    saying("without tensors", {"net": {}})


class Bomb:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (Path(self.path),)


def test_a_checkpoint_that_would_run_something_is_not_run(torch: Any, weights: Any, tmp_path: Path) -> None:
    path = tmp_path / "shortcut_reflow.bin"
    torch.save({"model_state": dict(weights["upper"]), "best": Bomb(str(tmp_path / "went_off"))}, path)
    with pytest.raises(ModelError, match="more than tensors, which is not read; nothing of it was run"):
        checkpoint.read(path)
    assert not (tmp_path / "went_off").exists()


def test_a_generator_of_unknown_kind_is_asked_about(files: Path, tmp_path: Path) -> None:
    """All generators have one layout: MeanFlow's weights under another's sampler would move her like noise."""
    renamed = tmp_path / "generator.bin"
    renamed.hardlink_to(files / "shortcut_reflow.bin")
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(ModelError, match="say which it is with --sampler"):
        convert([renamed], out)
    with pytest.raises(ModelError, match="8 of 9 files missing"):
        convert([renamed], out, "meanflow")
    assert not any(out.iterdir())
