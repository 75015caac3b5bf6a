#!/usr/bin/env python3
"""Counts what has no description: public functions, keys of files, options of verbs.

    described.py ARNE INCLUDE_FOLDER
"""

import json
import pathlib
import re
import subprocess
import sys


def functions_without(folder):
    """(functions, those whose group of declarations has no comment above or beside it)."""
    total, bare = 0, []
    for path in sorted(pathlib.Path(folder).glob("arne/*.h")):
        described, declaration = False, ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if declaration:
                declaration += line
            elif not line.strip():
                described = False
            elif line.startswith("//"):
                described = True
            elif line.startswith("ARNE_API"):
                declaration = line
            if declaration and ";" in declaration:
                total += 1
                name = re.search(r"(arne_\w+)\(", declaration)
                if not described and "//" not in declaration:
                    bare.append(f"{path.name}: {name.group(1) if name else declaration}")
                declaration = ""
    return total, bare


def keys_without(keys, path):
    """(keys, those that say neither what they are nor what unit they have), with all below."""
    total, bare = 0, []
    for name, key in keys.items():
        total += 1
        if "help" not in key and "unit" not in key:
            bare.append(f"{path}.{name}")
        inside = [(f"{path}.{name}", key.get("keys", {}))]
        inside += [(f"{path}.{name}/{word}", more) for word, more in key.get("choices", {}).items()]
        for where, more in inside:
            below = keys_without(more, where)
            total += below[0]
            bare += below[1]
    return total, bare


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def options_without(arne, verb):
    """(options of a verb's --help, those without a text on their line or the next)."""
    lines = output(arne, verb, "--help").splitlines()
    total, bare = 0, []
    for line, following in zip(lines, lines[1:] + [""]):
        if not re.match(r"  (-\w, )?--\w", line):
            continue
        total += 1
        if not re.search(r"\S\s{2,}\S", line.strip()) and not re.match(r"\s{20,}\S", following):
            bare.append(f"{verb}: {line.strip()}")
    return total, bare


def main():
    arne, include = sys.argv[1:]
    # An unknown kind makes the program list those that there are.
    kinds = re.search(r"--schema ([\w|]+)", output(arne, "check", "--help")).group(1).split("|")
    verbs = re.findall(r"^  (\w+) ", output(arne, "--help"), re.MULTILINE)
    flaws = 0
    found = [("functions", functions_without(include))]
    for kind in kinds:
        schema = json.loads(output(arne, "check", "--schema", kind))
        found.append((f"keys of a {kind} file", keys_without(schema["keys"], kind)))
    for verb in verbs:
        found.append((f"options of {verb}", options_without(arne, verb)))
    for what, (total, bare) in found:
        print(f"{what}: {total}, {len(bare)} without a description")
        for name in bare:
            print(f"    {name}")
        flaws += len(bare) + (total == 0)
    return 1 if flaws or len(verbs) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
