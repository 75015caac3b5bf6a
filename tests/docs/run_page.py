#!/usr/bin/env python3
"""Runs what a page of the documentation tells its readers to type, and compares what comes out.

    run_page.py PAGE.md [--update] [--keep DIR]

A `console` block holds commands behind `$ ` (a line that ends in a backslash goes on) and what they
print. A line `...` stands for any lines, `...` within a line for any text; numbers agree to 1e-6. A
block after a line that ends in a file's name in backquotes and a colon is that file. A `python`
block is run, and a `text` block right after it is what it prints. All of a page runs in one fresh
folder that holds copies of robots/ and examples/. --update writes what was printed into the page.
--keep moves that folder to DIR, with all that the commands wrote.

Environment: ARNE, the program; ARNE_STAGE, an installed tree for pages that compile C; ARNE_PYTHON, a
Python that has the module. Blocks that need what is not there are skipped, and the page says so.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)\s*$")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
FILE_NAME = re.compile(r"`([\w.-]+)`:$")
NEEDS_STAGE = re.compile(r"pkg-config|\bcmake\b")


class Block:
    """A fenced block: its language, its lines, where it starts, and the prose before it."""

    def __init__(self, language, start, before):
        self.language, self.start, self.before, self.lines = language, start, before, []


def blocks_of(lines):
    """All fenced blocks of a page, in order."""
    found, block, before = [], None, ""
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence and block is None:
            block = Block(fence.group(1), number + 1, before)
        elif fence:
            found.append(block)
            block, before = None, ""
        elif block is not None:
            block.lines.append(line)
        elif line.strip():
            before = line.strip()
    return found


def number_matches(wanted, got):
    a, b = float(wanted), float(got)
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-9


def line_matches(wanted, got):
    """Whether a printed line is the wanted one: `...` is any text, numbers agree nearly."""
    if "..." in wanted:
        pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
        return re.fullmatch(pattern, got) is not None
    if wanted == got:
        return True
    if NUMBER.sub("#", wanted).split() != NUMBER.sub("#", got).split():
        return False
    return all(map(number_matches, NUMBER.findall(wanted), NUMBER.findall(got)))


def matches(wanted, got):
    """Whether printed lines are the wanted ones; a line `...` is any number of lines."""
    if not wanted:
        return not got
    if wanted[0].strip() == "...":
        return any(matches(wanted[1:], got[k:]) for k in range(len(got) + 1))
    return bool(got) and line_matches(wanted[0], got[0]) and matches(wanted[1:], got[1:])


def commands_of(block):
    """(first line, command, lines that it should print) of a console block."""
    found = []
    for number, line in enumerate(block.lines):
        if line.startswith("$ "):
            found.append([number, line[2:], [], True])
        elif found and found[-1][3] and (found[-1][1].endswith("\\")
                                         or line.startswith("  ") and "(" == found[-1][1][:1]):
            found[-1][1] += "\n" + line
        elif found:
            found[-1][2].append(line)
            found[-1][3] = False
    return found


class Page:
    """One page and the folder in which its commands run."""

    def __init__(self, path, folder, update):
        self.path, self.folder, self.update = path, folder, update
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.flaws, self.ran, self.skipped, self.edits = [], 0, 0, []

    def environment(self):
        env = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100")
        arne = pathlib.Path(os.environ.get("ARNE", "arne")).resolve()
        env["PATH"] = f"{arne.parent}:{env['PATH']}"
        env.pop("DISPLAY", None)
        if stage := os.environ.get("ARNE_STAGE"):
            for found in pathlib.Path(stage).glob("lib*/**/pkgconfig"):
                env["PKG_CONFIG_PATH"] = str(found)
                env["LD_LIBRARY_PATH"] = str(found.parent)
        return env

    def run(self, arguments):
        """The lines that a command prints, on either stream, and its exit status."""
        done = subprocess.run(
            arguments, cwd=self.folder, env=self.environment(), check=False, timeout=300, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.splitlines(), done.returncode

    def compare(self, line, what, wanted, got, status):
        """Notes a difference, or (with --update) an edit; a status may be told by `# exit N`."""
        exit_wanted = re.search(r"# exit (\d+)$", what)
        expected = int(exit_wanted.group(1)) if exit_wanted else 0
        if status != expected:
            self.flaws.append((line, what, f"exit status {status}, not {expected}", got))
        elif not matches(wanted, got):
            if self.update:
                self.edits.append((line, len(wanted), got))
            else:
                self.flaws.append((line, what, "prints something else", got))
        self.ran += 1

    def console(self, block):
        for number, command, wanted, _ in commands_of(block):
            line = block.start + number
            if NEEDS_STAGE.search(command) and "ARNE_STAGE" not in os.environ:
                self.skipped += 1
                continue
            got, status = self.run(["bash", "-c", command])
            self.compare(line + 1 + command.count("\n"), command, wanted, got, status)

    def python(self, block, following):
        if "ARNE_PYTHON" not in os.environ:
            self.skipped += 1
            return
        got, status = self.run([os.environ["ARNE_PYTHON"], "-c", "\n".join(block.lines)])
        wanted = following.lines if following and following.language == "text" else None
        start = following.start if wanted is not None else block.start
        self.compare(start, "python block", got if wanted is None else wanted, got, status)

    def run_all(self):
        blocks = blocks_of(self.lines)
        for block, following in zip(blocks, blocks[1:] + [None]):
            name = FILE_NAME.search(block.before)
            if block.language == "console":
                self.console(block)
            elif name:
                text = "\n".join(block.lines) + "\n"
                (self.folder / name.group(1)).write_text(text, encoding="utf-8")
            elif block.language == "python":
                self.python(block, following)
        for start, count, got in reversed(self.edits):
            self.lines[start:start + count] = got
        if self.edits:
            self.path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("robots", "examples"):
            shutil.copytree(ROOT / name, pathlib.Path(folder) / name)
        page = Page(asked.page, pathlib.Path(folder), asked.update)
        page.run_all()
        if asked.keep:
            shutil.copytree(folder, asked.keep)
    for line, what, why, got in page.flaws:
        print(f"{asked.page}:{line}: {what}\n    {why}; it printed:")
        print("\n".join(f"    | {text}" for text in got[:40]))
    print(f"{asked.page.name}: {page.ran} run, {len(page.flaws)} wrong, {len(page.edits)} updated, "
          f"{page.skipped} skipped")
    return 1 if page.flaws or page.ran + page.skipped == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
