"""The configuration file: how the screen is to look and sound on this machine. The command line goes before it.

``config.toml`` in the configuration folder (``nodealer doctor`` says where that is):

    plain = false           # numbered lines instead of the full screen
    colours = "auto"        # "none", "16", "256", "true"
    palette = "edition"     # "safe": colours that all eyes tell apart
    ascii = false           # ASCII characters alone
    mouse = true
    bell = true             # once, when it is your turn
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from .exits import Complaint

FILE = "config.toml"
CHOICES = {"colours": ("auto", "none", "16", "256", "true"), "palette": ("edition", "safe")}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of the file; the defaults are what holds without one."""

    plain: bool = False
    colours: str = "auto"
    palette: str = "edition"
    ascii: bool = False
    mouse: bool = True
    bell: bool = True

    @classmethod
    def load(cls, folder: str | None) -> Config:
        """The file in this folder, or in the platform's; raises ``Complaint`` for what it cannot mean."""
        if folder is None:
            from platformdirs import user_config_path

            path = user_config_path("nodealer", appauthor=False) / FILE
        else:
            path = Path(folder).expanduser() / FILE
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return cls()
        except OSError as error:
            raise Complaint(f"The configuration {path} cannot be read ({error.strerror}).") from None
        except (ValueError, RecursionError) as error:
            raise Complaint(f"The configuration {path} is no TOML: {error}.") from None
        known = {field.name: field for field in fields(cls)}
        for name, value in table.items():
            if name not in known:
                raise Complaint(f"The configuration {path} has no setting {name[:40]!r}; there are {', '.join(known)}.")
            if name in CHOICES and value not in CHOICES[name]:
                raise Complaint(f"The configuration {path}: {name} is one of {', '.join(CHOICES[name])}.")
            if name not in CHOICES and not isinstance(value, bool):
                raise Complaint(f"The configuration {path}: {name} is true or false.")
        return cls(**table)
