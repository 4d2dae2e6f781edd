"""What the program keeps on this machine: its identity, a few settings, the names it has met, and transcripts.

Identity, names and settings stand in the platform's configuration folder, transcripts in its data folder;
``--data-dir`` puts both into one. Everything private is made with mode 0600 before the first byte is written. One
program at a time uses the identity of a folder: a second one gets a throw-away identity for its table and says so,
because two programs that sign with one key would contradict each other.
"""

from __future__ import annotations

import json
import os
import secrets
import time
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from .exits import Complaint, Exit
from .json_text import from_json

SEED_SIZE = 32
# Names met so far; a folder of a lifetime stays below this, and a flood of strangers cannot fill the disk.
MAX_KNOWN = 1000


@dataclass(slots=True)
class Home:
    """The folders of one person, or nothing at all on disk (``memory``), which is how bots are started."""

    config: Path | None
    data: Path | None
    throwaway: bool = False
    _lock: IO[str] | None = field(default=None, repr=False)

    @classmethod
    def memory(cls) -> Home:
        """A home that keeps nothing."""
        return cls(config=None, data=None, throwaway=True)

    @classmethod
    def open(cls, folder: str | None, *, patience: float = 0.0) -> Home:
        """The home in ``folder``, or in the platform's folders; takes its lock, or becomes throw-away when it has not
        got it after so many seconds of ``patience``."""
        if folder is not None:
            config = data = Path(folder).expanduser()
        else:
            from platformdirs import user_config_path, user_data_path

            config, data = user_config_path("nodealer", appauthor=False), user_data_path("nodealer", appauthor=False)
        home = cls(config=config, data=data)
        try:
            for path in (config, data):
                path.mkdir(parents=True, exist_ok=True, mode=0o700)
            until = time.monotonic() + patience
            while home._lock is None and not home._take_lock(data / "lock") and time.monotonic() < until:
                time.sleep(0.05)
            home.throwaway = home._lock is None
        except OSError as error:
            raise Complaint(
                f"The folder {error.filename or config} cannot be used ({error.strerror}); give another --data-dir."
            ) from None
        return home

    def close(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _take_lock(self, path: Path) -> bool:
        """Whether this program is the only one on the folder. The lock dies with the process."""
        handle = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        try:
            lock_file(handle)
        except OSError:
            handle.close()
            return False
        self._lock = handle
        return True

    def seed(self) -> bytes:
        """The 32 secret bytes of the identity: the folder's, made when there is none; fresh ones for a throw-away."""
        if self.config is None or self.throwaway:
            return secrets.token_bytes(SEED_SIZE)
        path = self.config / "identity"
        try:
            with path.open(encoding="ascii") as file:
                _check_private(path, os.fstat(file.fileno()).st_mode)
                text = file.read(4 * SEED_SIZE)
        except FileNotFoundError:
            seed = secrets.token_bytes(SEED_SIZE)
            self._write(path, seed.hex() + "\n")
            return seed
        except (OSError, UnicodeDecodeError) as error:
            raise Complaint(
                f"The identity file {path} cannot be read ({type(error).__name__}); move it away to get a new identity."
            ) from None
        try:
            seed = bytes.fromhex(text.strip())
        except ValueError:
            seed = b""
        if len(seed) != SEED_SIZE:
            raise Complaint(f"The identity file {path} is damaged; move it away to get a new identity.")
        return seed

    def setting(self, key: str) -> str | None:
        """A remembered setting, None when it is not there."""
        value = self._read_table("settings.json").get(key)
        return value if isinstance(value, str) else None

    def remember(self, key: str, value: str) -> None:
        """Remember a setting for the next time."""
        if self.setting(key) != value:
            self._write_table("settings.json", {**self._read_table("settings.json"), key: value})

    def meet(self, name: str, key: bytes) -> bool:
        """Note that a player of this name has this key; True when the name was known with another key before."""
        before = self._key_of(name)
        if before is None:
            known = self._read_table("names.json")
            if len(known) < MAX_KNOWN:
                self._write_table("names.json", {**known, name: key.hex()})
            return False
        return before != key.hex()

    def differs(self, name: str, key: bytes) -> bool:
        """Whether a player of this name is known with another key; notes nothing."""
        before = self._key_of(name)
        return before is not None and before != key.hex()

    def _key_of(self, name: str) -> str | None:
        """The key that a name was met with first; names that look alike but for capitals are one."""
        wanted = same_name(name)
        keys = (key for known, key in self._read_table("names.json").items() if same_name(known) == wanted)
        return next((key for key in keys if isinstance(key, str)), None)

    def transcripts(self) -> Path | None:
        """The folder for transcripts, made on demand."""
        if self.data is None:
            return None
        path = self.data / "transcripts"
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    def _read_table(self, file: str) -> dict[str, object]:
        """A small JSON object of strings; what is not one counts as empty: losing a setting must not stop a game."""
        if self.config is None:
            return {}
        try:
            value = from_json((self.config / file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def _write_table(self, file: str, table: dict[str, object]) -> None:
        if self.config is not None and not self.throwaway:
            self._write(self.config / file, json.dumps(table, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    @staticmethod
    def _write(path: Path, text: str) -> None:
        """Replace ``path`` by ``text`` in one step, readable by its owner only from the first byte on."""
        draft = path.with_name(f"{path.name}.{os.getpid()}.new")
        try:
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.replace(draft, path)
        except OSError as error:
            raise Complaint(f"The file {path} cannot be written ({error.strerror}).", Exit.USAGE) from None


def same_name(name: str) -> str:
    """What two spellings of one name have in common."""
    return unicodedata.normalize("NFKC", name).casefold()


def _check_private(path: Path, mode: int) -> None:
    """A key that others can read, or could have exchanged, is nobody's identity any more."""
    if os.name != "nt" and mode & 0o077:
        raise Complaint(
            f"The identity file {path} can be read or changed by others: `chmod 600` it if they are trusted, or move "
            "it away to get a new identity."
        )


if os.name == "nt":
    import msvcrt

    def lock_file(handle: IO[str]) -> None:
        """Take an exclusive lock or raise ``OSError``."""
        msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    def lock_file(handle: IO[str]) -> None:
        """Take an exclusive lock or raise ``OSError``."""
        fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
