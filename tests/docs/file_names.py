#!/usr/bin/env python3
"""Every source file that the docs or a comment names is there.

Names of docs stand in backquotes; in C they stand in comments. A name in capitals (NAME.c) is an
example, one with a format in it (%s.c) is written by a program.
"""
import os
import re
import subprocess
import sys

SOURCE = r"[\w./-]*\w\.(?:k\.h|cuh|cpp|def|mjs|inc|c|h|py|sh|ts)"
# Files of others, files that a command writes, and examples of what a user may call them.
OTHERS = re.compile(
    r"^(cuda|robot|control|main|math|k_sin|k_cos|scara|float|hold|arm6|torques|algorithm_texts|r|s)\.(h|c|cpp)$")


def listed():
    return subprocess.run(["git", "ls-files"], capture_output=True, text=True,
                          check=True).stdout.split()


def named(path, text):
    if path.endswith(".md"):
        for m in re.finditer(rf"`({SOURCE})`", text):
            yield text.count("\n", 0, m.start()) + 1, m.group(1)
    else:
        for line, words in enumerate(text.splitlines(), 1):
            comment = re.search(r"//(.*)", words)
            for m in re.finditer(rf"(?<![\w/<\"%-])({SOURCE})(?![\w>\"])",
                                 comment.group(1) if comment else ""):
                yield line, m.group(1)


def main():
    files = listed()
    names = {os.path.basename(f) for f in files}
    bad = 0
    for path in files:
        if not re.search(r"\.(md|c|h|cuh|cpp)$", path) or not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for line, name in named(path, text):
            known = os.path.exists(name) or ("/" not in name
                                             and name in names) or os.path.basename(name) in names
            if known or name[0] == "." or re.search(r"[A-Z]",
                                                    name) or OTHERS.match(os.path.basename(name)):
                continue
            print(f"{path}:{line}: there is no {name}")
            bad = 1
    sys.exit(bad)


main()
