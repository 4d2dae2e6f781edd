"""libsodium's ristretto255, taken out of the `rbcl` wheel and called through ctypes.

Why not `import rbcl`: its `add` and `sub` ignore libsodium's return code, and importing it leaves a temporary file of
2.8 MB behind in every process. So the shared library is read from the wheel's data module without running it, loaded
from memory (Linux) or from a private folder that is removed at once (POSIX) or at exit (Windows, which cannot remove a
loaded library).

The functions here are the bare C calls: `(result, …) -> return code`, 0 for success. They check nothing. Lengths and
codes are checked by `group.py` and `identity.py`, which alone may use them. ctypes releases the GIL during each call,
and no buffer is shared.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

POINT_BYTES: Final = 32
SCALAR_BYTES: Final = 32
HASH_BYTES: Final = 64

_FOLDER_PREFIX: Final = "nodealer-libsodium-"
_SUFFIX: Final = ".dll" if sys.platform == "win32" else ".so"


def library_bytes() -> bytes:
    """The shared library in the installed `rbcl` (its `_sodium.py` holds it in hex). ImportError if it is not there."""
    spec = importlib.util.find_spec("rbcl")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        source = Path(folder) / "_sodium.py"
        if source.is_file():
            found = re.search(rb"bytes\.fromhex\('([0-9a-fA-F]+)'\)", source.read_bytes())
            if found:
                return bytes.fromhex(found[1].decode("ascii"))
    raise ImportError("libsodium was not found: install the Python package rbcl 1.1.2 again")


def _load_from_memory(content: bytes) -> ctypes.CDLL:
    """Load from an anonymous file: nothing is ever written to a disk. OSError where the system does not allow it."""
    if sys.platform != "linux":
        raise OSError("no anonymous files here")
    handle = os.memfd_create("nodealer-libsodium", os.MFD_CLOEXEC)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        library = ctypes.CDLL(f"/proc/self/fd/{handle}")
    if not hasattr(library, "sodium_init"):
        # The loader goes by name: another library was once loaded from a file of this number.
        raise OSError("the name is taken")
    return library


def _load_from_folder(content: bytes) -> ctypes.CDLL:
    """Load from a file in a fresh folder that only this user may enter, and take the folder away again."""
    if sys.platform == "win32":
        # Folders of processes that were killed; those in use refuse to go, which is right.
        for old in Path(tempfile.gettempdir()).glob(_FOLDER_PREFIX + "*"):
            shutil.rmtree(old, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=_FOLDER_PREFIX)
    loaded = False
    try:
        path = Path(folder) / f"libsodium{_SUFFIX}"
        path.write_bytes(content)
        library = ctypes.CDLL(str(path))
        loaded = True
        return library
    finally:
        if loaded and sys.platform == "win32":
            atexit.register(_unload, library._handle, folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _unload(handle: int, folder: str) -> None:
    """Windows only, at exit: free the library so that its file can be removed."""
    free: Callable[[int], None] | None = getattr(importlib.import_module("_ctypes"), "FreeLibrary", None)
    if free is not None:
        with contextlib.suppress(OSError):
            free(handle)
    shutil.rmtree(folder, ignore_errors=True)


def load() -> ctypes.CDLL:
    """The initialised library; ImportError with a sentence if it cannot be had."""
    content = library_bytes()
    try:
        library = _load_from_memory(content)
    except OSError:
        try:
            library = _load_from_folder(content)
        except OSError as error:
            raise ImportError(
                f"libsodium could not be loaded ({error}); set TMPDIR to a folder from which programs may run"
            ) from error
    # 0: initialised now, 1: it already was, -1: unusable.
    if library.sodium_init() < 0:
        raise ImportError("libsodium refused to start")
    return library


def _function(name: str) -> Any:
    """A bare C function returning int. Without argtypes ctypes passes bytes and char arrays as pointers, fastest."""
    function = getattr(_LIBRARY, name)
    function.restype = ctypes.c_int
    return function


def _check_sizes() -> None:
    """The sizes that every caller relies on."""
    for name, size in (
        ("crypto_core_ristretto255_bytes", POINT_BYTES),
        ("crypto_core_ristretto255_scalarbytes", SCALAR_BYTES),
        ("crypto_core_ristretto255_hashbytes", HASH_BYTES),
        ("crypto_scalarmult_ristretto255_bytes", POINT_BYTES),
        ("crypto_scalarmult_ristretto255_scalarbytes", SCALAR_BYTES),
    ):
        function = getattr(_LIBRARY, name)
        function.restype = ctypes.c_size_t
        if function() != size:
            raise ImportError(f"libsodium's {name} is {function()}, not {size}")


_LIBRARY: Final = load()
_check_sizes()

multiply: Final = _function("crypto_scalarmult_ristretto255")
"""(result[32], scalar[32], point[32]): -1 for a bad point and for the identity as the result."""
multiply_base: Final = _function("crypto_scalarmult_ristretto255_base")
"""(result[32], scalar[32]): -1 for the identity as the result."""
add: Final = _function("crypto_core_ristretto255_add")
"""(result[32], point[32], point[32]): -1 for a bad point. The result may be one of the arguments."""
subtract: Final = _function("crypto_core_ristretto255_sub")
"""(result[32], point[32], point[32]): -1 for a bad point. The result may be one of the arguments."""
from_hash: Final = _function("crypto_core_ristretto255_from_hash")
"""(result[32], hash[64]): the one-way map of RFC 9496 §4.3.4."""
is_valid_point: Final = _function("crypto_core_ristretto255_is_valid_point")
"""(point[32]) -> 1 for a canonical encoding, the identity included; the highest bit is not looked at (1.0.18)."""
is_valid_ed25519: Final = _function("crypto_core_ed25519_is_valid_point")
"""(key[32]) -> 1 for a canonical Ed25519 point, not of small order; a part of order 2 goes unseen (CVE-2025-69277)."""
multiply_ed25519: Final = _function("crypto_scalarmult_ed25519_noclamp")
"""(result[32], scalar[32], key[32]): -1 for a bad point and for the identity as the result."""
