"""Reads the project's imports without running anything: who imports whom, and whether inside a function only."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("components", "systems", "engine_plugin", "assets")


@dataclass(frozen=True)
class Import:
    """One imported module. `target`: path from the root for ours, top-level name for others."""

    line: int
    target: str
    is_ours: bool
    is_flat: bool
    is_lazy: bool

    @property
    def is_third_party(self) -> bool:
        return not self.is_ours and self.target not in sys.stdlib_module_names


def _resolved(root: Path, parts: list[str], names: list[str]) -> Iterator[str]:
    """`from M import n` means the module M/n where there is one, else a name inside M."""
    base = "/".join(parts)
    for name in names or [""]:
        whole = f"{base}/{name}"
        is_module = bool(name) and ((root / f"{whole}.py").is_file() or (root / whole).is_dir())
        yield whole if is_module else base


def imports(path: Path, root: Path = ROOT) -> Iterator[Import]:
    """Yield every import of a file, those inside functions and under TYPE_CHECKING included."""
    here = list(path.relative_to(root).parts[:-1])
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lazy.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _absolute(alias.name.split("."), [], node, node in lazy, root)[0]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if node.level:
                if node.level > len(here) + 1:
                    raise ValueError(f"{path.relative_to(root)}:{node.lineno}: the import leaves the project's folders")
                parts = here[: len(here) - node.level + 1] + (node.module or "").split(".") * bool(node.module)
                for target in _resolved(root, parts, names):
                    yield Import(node.lineno, target, True, False, node in lazy)
            else:
                yield from _absolute((node.module or "").split("."), names, node, node in lazy, root)


def _absolute(parts: list[str], names: list[str], node: ast.stmt, is_lazy: bool, root: Path) -> list[Import]:
    if parts[0] == "kinesics":
        return [Import(node.lineno, t, True, True, is_lazy) for t in _resolved(root, parts[1:], names)]
    if parts[0] in FOLDERS:
        return [Import(node.lineno, t, True, True, is_lazy) for t in _resolved(root, parts, names)]
    return [Import(node.lineno, parts[0], False, False, is_lazy)]


def files(root: Path = ROOT) -> list[Path]:
    """Return every Python file of the four folders."""
    return sorted(p for folder in FOLDERS for p in (root / folder).rglob("*.py"))
