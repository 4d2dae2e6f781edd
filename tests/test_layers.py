"""Imports point downwards only, and product code never relies on ``assert``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "crypto", "p2p", "cli")
# What each package may import of the others: the arrows of the layers, nothing else.
MAY_IMPORT = {"engine": set(), "crypto": set(), "p2p": {"engine", "crypto"}, "cli": {"p2p", "engine"}}
# Input, output, clocks and randomness that a pure package must not see.
OUTSIDE = {"asyncio", "socket", "socketserver", "selectors", "ssl", "zeroconf", "ifaddr"}
IMPURE = OUTSIDE | {"random", "secrets", "time", "os", "threading", "subprocess", "datetime"}

FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, at any depth, as an absolute dotted name."""
    here = ("nodealer", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else ()
            module = ".".join((*base, *((node.module or "").split(".") if node.module else ())))
            yield node.lineno, module
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_imports_point_downwards(path: Path) -> None:
    package = package_of(path)
    for line, module in imports(path):
        parts = module.split(".")
        if parts[0] in PACKAGES:
            pytest.fail(f"{ids(path)}:{line} imports {module}: say nodealer.{module}")
        if parts[0] == "nodealer" and len(parts) > 1 and parts[1] != package:
            allowed = MAY_IMPORT[package]
            if parts[1] not in allowed:
                pytest.fail(f"{ids(path)}:{line} imports {module}: {package} may import {sorted(allowed)} only")


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_only_the_edge_waits(path: Path) -> None:
    package, tops = package_of(path), {(line, module.split(".")[0]) for line, module in imports(path)}
    relative = path.relative_to(ROOT)
    if package == "engine":
        forbidden = IMPURE
    elif package == "cli":
        forbidden = OUTSIDE - {"asyncio"}
    elif relative.parts[:2] == ("p2p", "net"):
        forbidden = set()
    else:
        forbidden = OUTSIDE
    for line, top in tops:
        if top in forbidden:
            pytest.fail(f"{ids(path)}:{line} imports {top}")
    if package == "p2p" and relative.parts[:2] != ("p2p", "net"):
        for line, module in imports(path):
            if module.startswith("nodealer.p2p.net"):
                pytest.fail(f"{ids(path)}:{line}: the core imports its edge ({module})")


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_no_assert_in_product_code(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assert):
            pytest.fail(f"{ids(path)}:{node.lineno}: assert is gone under python -O; raise instead")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"}:
            pytest.fail(f"{ids(path)}:{node.lineno}: no {node.func.id}")


def test_the_test_sees_what_it_should() -> None:
    """A relative import and a deep one are both resolved."""
    assert FILES
    found = {module for _, module in imports(ROOT / "p2p" / "options.py")}
    assert {"nodealer.engine", "nodealer.p2p.errors"} <= found
