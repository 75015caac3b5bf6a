#!/usr/bin/env python3
"""The xacro files of public packages, and the pairs of xacro's own tests: `arne convert` makes the
URDF of xacro.

Compared as XML: elements, attributes and texts, numbers by value. Without the corpus: skipped (77).
"""

import csv
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.dom.minidom
from pathlib import Path

ARNE = os.environ["ARNE"]


def words(text):
    """The words of a text, numbers as numbers."""
    out = []
    for word in text.split():
        try:
            out.append(float(word))
        except ValueError:
            out.append(word)
    return out


def tree(element):
    """What counts of an element."""
    children, text = [], ""
    for node in element.childNodes:
        if node.nodeType == node.ELEMENT_NODE:
            children.append(tree(node))
        elif node.nodeType != node.COMMENT_NODE:
            text += " " + node.data
    attributes = sorted((name, words(value)) for name, value in element.attributes.items())
    return element.tagName, attributes, words(text), children


def difference(ours, theirs, path=""):
    """The first difference of two trees, or None."""
    path += "/" + theirs[0]
    for i, what in enumerate(["tag", "attributes", "text"]):
        if ours[i] != theirs[i]:
            return f"{path}: {what} {ours[i]}, not {theirs[i]}"
    if len(ours[3]) != len(theirs[3]):
        return f"{path}: {len(ours[3])} children, not {len(theirs[3])}"
    for one, other in zip(ours[3], theirs[3]):
        found = difference(one, other, path)
        if found:
            return found
    return None


def expand(path, arguments, folder, **environment):
    return subprocess.run(
        [ARNE, "convert", "--format", "urdf", str(path), *arguments],
        capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **environment},
    )  # fmt: skip


def compare(ran, packages, expected):
    """What is wrong with a result, or None."""
    if ran.returncode:
        return ran.stderr
    text = ran.stdout.replace(f"{packages}/", "/PKGS/")
    return difference(tree(xml.dom.minidom.parseString(text).documentElement),
                      tree(xml.dom.minidom.parseString(expected).documentElement))  # fmt: skip


def arguments_of(text):
    """Arguments and environment of a row; those with blanks or quotes are quoted."""
    parts = [] if text == "-" else re.findall(r"'[^ ]*'(?= |$)|'[^']*'(?= |$)|[^ ]+", text)
    parts = [p[1:-1] if p[0] == "'" == p[-1] else p for p in parts]
    environment = dict(p[4:].split("=", 1) for p in parts if p.startswith("env:"))
    return [p for p in parts if not p.startswith("env:")], environment


def rows(path):
    with open(path, encoding="utf-8") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def packages_match(corpus, work):
    packages = work / "xacro_inputs/packages"
    for row in rows(corpus / "cases.tsv"):
        golden = work / "golden" / row["golden"]
        arguments, environment = arguments_of(row["args"])
        if golden.exists():
            ran = expand(packages / row["package"] / row["file"], arguments, work,
                         ROS_PACKAGE_PATH=str(packages), **environment)  # fmt: skip
            yield row["golden"], compare(ran, packages, golden.read_text(encoding="utf-8"))
    for row in rows(corpus / "errors.tsv"):
        file = packages / row["package"] / row["file"]
        ran = expand(file, arguments_of(row["args"])[0], work, ROS_PACKAGE_PATH=str(packages))
        placed = re.search(r"\.xacro:\d+:\d+: <", ran.stderr)
        yield f"{file} {row['args']}", None if ran.returncode == 1 and placed else "is not refused with its line"


def units_match(corpus, work):
    (work / "packages/xacro").mkdir(parents=True)
    (work / "packages/xacro/package.xml").touch()
    folder = work / "unit_files/test"
    for pair in json.loads((corpus / "unit.json").read_text(encoding="utf-8")):
        (folder / "unit.xacro").write_text(pair["input"], encoding="utf-8")
        ran = expand("unit.xacro", pair["args"], folder, ROS_PACKAGE_PATH=str(work / "packages"))
        if "error" in pair:
            yield pair["test"], None if ran.returncode == 1 and ran.stderr else "is not refused"
        else:
            yield pair["test"], compare(ran, work / "packages", pair["output"])


def main():
    reference = os.environ.get("ARNE_REFERENCE")
    corpus = Path(reference or "nowhere") / "../corpus/xacro"
    if not corpus.exists():
        print("skipped: there is no corpus beside ARNE_REFERENCE")
        return 77
    wrong = count = 0
    with tempfile.TemporaryDirectory() as place:
        work = Path(place).resolve()
        for archive in corpus.glob("*.tar.xz"):
            with tarfile.open(archive) as tar:
                tar.extractall(work)
        for results in (packages_match(corpus, work), units_match(corpus, work)):
            for name, problem in results:
                count += 1
                if problem:
                    wrong += 1
                    print(f"{name}: {problem}")
    print(f"{count - wrong} of {count} as xacro has them")
    return 1 if wrong or count < 200 else 0


if __name__ == "__main__":
    sys.exit(main())
