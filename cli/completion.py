"""``nodealer completion``: what a shell needs to complete the command, made from the command line itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from .exits import Exit
from .main import EDITIONS, parser
from .output import write_line

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True, slots=True)
class Word:
    """An option or a command with its help; ``values`` are what may follow it, ``called`` is the help's word for it."""

    name: str
    help: str
    values: tuple[str, ...] = ()
    takes: bool = False
    called: str = ""
    file: bool = False
    many: bool = False


def run(args: argparse.Namespace) -> int:
    write_line({"bash": bash, "zsh": zsh, "fish": fish}[args.shell]().rstrip("\n"))
    return Exit.COMPLETE


def commands() -> dict[str, tuple[str, list[Word]]]:
    """Every command with its help and its options."""
    top = parser()
    found: dict[str, tuple[str, list[Word]]] = {}
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                found[name] = (helps.get(name, ""), list(_options(command)))
    return found


def before() -> list[Word]:
    """The options of the command without a command, which is the lobby."""
    return [word for word in _options(parser()) if word.name.startswith("--")]


def _options(command: argparse.ArgumentParser) -> Iterator[Word]:
    for action in command._actions:
        if action.help == argparse.SUPPRESS:
            continue
        values = tuple(map(str, action.choices)) if action.choices else EDITIONS if action.dest == "edition" else ()
        file = action.metavar in ("FILE", "DIR", "OUT.html")
        takes = action.nargs != 0
        names = action.option_strings or [""]
        help, called = (action.help or "").replace("%%", "%"), str(action.metavar or action.dest.upper())
        yield Word(names[-1], help, values, takes, called, file, action.nargs == "+")


def bash() -> str:
    """A completion for bash."""
    told = commands()
    cases = []
    for name, (_, words) in told.items():
        options = " ".join(word.name for word in words if word.name)
        after = [word for word in words if word.name and (word.values or word.file)]
        free = next((word for word in words if not word.name), None)
        inner = "".join(
            f'        {word.name}) COMPREPLY=($(compgen {_bash_values(word)} -- "$cur")); return ;;\n' for word in after
        )
        rest = f'COMPREPLY=($(compgen -W "{options}" -- "$cur"))'
        if free is not None and (free.values or free.file):
            rest = f'if [[ $cur == -* ]]; then {rest}; else COMPREPLY=($(compgen {_bash_values(free)} -- "$cur")); fi'
        block = f'      case "$prev" in\n{inner}      esac\n' if inner else ""
        cases.append(f"    {name})\n{block}      {rest} ;;\n")
    return (
        "# nodealer completion bash > ~/.local/share/bash-completion/completions/nodealer\n"
        "_nodealer() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
        "  if ((COMP_CWORD == 1)); then\n"
        f'    COMPREPLY=($(compgen -W "{" ".join([*told, *(word.name for word in before())])}" -- "$cur")); return\n'
        "  fi\n"
        '  case "$command" in\n' + "".join(cases) + "  esac\n}\ncomplete -F _nodealer nodealer\n"
    )


def _bash_values(word: Word) -> str:
    return "-f" if word.file else f'-W "{" ".join(word.values)}"'


def zsh() -> str:
    """A completion for zsh."""
    told = commands()
    names = "\n".join(f"    '{name}:{_zsh_text(help)}'" for name, (help, _) in told.items())
    cases = []
    for name, (_, words) in told.items():
        specs = []
        for word in words:
            after = "" if not word.takes else ":value:" + ("_files" if word.file else f"({' '.join(word.values)})")
            place = "*" if word.many else "1"
            takes = "=" if word.takes else ""  # both `--option value` and `--option=value`
            spec = f"{word.name}{takes}[{_zsh_text(word.help)}]{after}" if word.name else f"{place}{after or ':value:'}"
            specs.append(f"'{spec}'")
        cases.append(f"    {name}) _arguments {' '.join(specs)} ;;\n")
    return (
        "#compdef nodealer\n"
        "# nodealer completion zsh > ~/.zfunc/_nodealer\n"
        "_nodealer() {\n  local -a commands\n  commands=(\n" + names + "\n  )\n"
        "  if ((CURRENT == 2)); then _describe command commands; return; fi\n"
        "  local command=$words[2]\n  shift words; ((CURRENT--))\n"
        '  case "$command" in\n' + "".join(cases) + '  esac\n}\n_nodealer "$@"\n'
    )


def fish() -> str:
    """A completion for fish."""
    lines = ["# nodealer completion fish > ~/.config/fish/completions/nodealer.fish", "complete -c nodealer -f"]
    for name, (help, words) in commands().items():
        lines.append(f"complete -c nodealer -n __fish_use_subcommand -a {name} -d '{_fish_text(help)}'")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for word in words:
            values = f" -a '{' '.join(word.values)}'" if word.values else ""
            if word.name.startswith("--"):
                needs = (" -rF" if word.file else " -x") if word.takes else ""
                option = f"-l {word.name.removeprefix('--')}{needs}{values}"
                lines.append(f"complete -c nodealer {seen} {option} -d '{_fish_text(word.help)}'")
            elif not word.name and (values or word.file):
                lines.append(f"complete -c nodealer {seen}{values}{' -F' if word.file else ''}")
    return "\n".join(lines) + "\n"


def _zsh_text(text: str) -> str:
    """Help inside single quotes and brackets."""
    for char in "\\[]:":
        text = text.replace(char, "\\" + char)
    return " ".join(text.replace("'", "'\\''").split())


def _fish_text(text: str) -> str:
    """Help inside single quotes."""
    return " ".join(text.replace("\\", "\\\\").replace("'", "\\'").split())
