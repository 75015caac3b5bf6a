#!/usr/bin/env python3
"""What the program says, compared with what it said before.

    golden.py ARNE FILE.txt...            compare; lines that differ are shown
    golden.py --renew ARNE FILE.txt...    write the files again with what is said now: read the
                                          difference before you keep it

A FILE has comments (#), directives (%), commands ($) and refusals (~). A command is followed by
what it said: lines of stdout after a blank, messages after "! ", and "= STATUS" where that is not
0. A refusal is one line: the command, "=>", its exit status and its messages. Of a message only its
place (file, line, column), the names that it quotes and its kind are kept, so that its wording can
change. A command is a line of a shell's words, without a shell:

    arne ...              the program; brief arne ...: all that it prints as one line
    write NAME TEXT       a file, \n and all
    edit FROM TO A B      a copy of a file in which the text A became B
    flaw FROM A B         what arne check says of such a copy
    states ROBOT NAME N   N rows of q, qd, qdd, qddd, tau for a robot, of one formula
    join NAME OTHER       a table with the columns of another, and some noise
    show NAME             a file; page NAME, json NAME: of these what reduce.py keeps; data NAME: of
                          a page its data alone

Commands run in an empty folder with links to robots and examples, and a copy of this folder's
files. @state stands for a state of the robot that the command names. "% tolerance 1e-5" holds for
the commands below it, "% drop WORD" leaves lines of WORD out, as times,
which differ from machine to machine, "% needs WORD" ends the file where a build has no such thing:
ipopt, viewer.
"""
import difflib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import reduce

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Program:
    def __init__(self, path, folder):
        self.path, self.folder, self.known = os.path.abspath(path), folder, {}

    def run(self, words):
        environment = {k: v for k, v in os.environ.items()
                       if k in ("PATH", "HOME", "ARNE_MODULES", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                                "UBSAN_OPTIONS", "LSAN_OPTIONS")}
        said = subprocess.run([self.path, *words], cwd=self.folder, capture_output=True,
                              env=dict(environment, LC_ALL="C"),
                              stdin=subprocess.DEVNULL)
        return said.stdout.decode(errors="replace"), said.stderr.decode(
            errors="replace"), said.returncode

    def about(self, words):
        """The robot of a command, as arne info knows it."""
        base = words[words.index("--base") + 1] if "--base" in words else ""
        robot = next(w for w in words if re.search(r"\.(yaml|urdf)$", w))
        if (robot, base) not in self.known:
            out = self.run(
                ["info", robot, "--json", "--quiet", *(["--base", base] if base else [])])[0]
            self.known[robot, base] = json.loads(out)
        return self.known[robot, base]


def values(names, about, seed, what):
    """Of one vector: a number for each name of q or qd; unit quaternions where four of them are
    one."""
    passive = {j["name"] for j in about["joints"] if j["passive"]} if about["loops"] else set()
    joints = {j["name"]: j for j in about["joints"]}
    out = []
    for k, name in enumerate(names):
        joint = name.split(".")[0]
        at = int(name.split(".")[-1]) if re.search(r"\.\d+$", name) else -1
        if joint in passive:
            continue
        x = 0.3 * math.sin(1.7 * k + seed) + 0.05 * seed
        j = joints.get(joint)
        if what == "q" and j and j["q_count"] > j["v_count"] and at >= j["q_count"] - 4:
            x = (0.1, -0.3, 0.2, math.sqrt(0.86))[at - j["q_count"] + 4]
        out.append((name, x))
    return out


def state(about, words):
    """The words that @state stands for."""
    out = []
    wanted = {"q": "q", "qd": "v", "qdd": "v", "tau": "v"}
    if words[1] in ("jerk", "torque-rate"):
        wanted["qddd"] = "v"
    for k, (name, of) in enumerate(wanted.items()):
        given = values(about[of], about, k, name)
        if name == "tau":
            given = [(n, x) for n, x in given if not n.startswith("theta.")]
        if given and not (name == "q" and about["loops"]):
            out += ["--" + name, ",".join(repr(round(x, 6)) for _, x in given)]
    return out


def states(program, words):
    robot, name, count = words
    about, rows = program.about([robot]), []
    for r in range(int(count)):
        row = [("time", 0.05 * r)]
        for k, what in enumerate(("q", "qd", "qdd", "qddd", "tau")):
            of = "q" if what == "q" else "v"
            for j, (n, x) in enumerate(values(about[of], about, k, what)):
                if n.startswith("theta."):
                    continue
                if what != "q" or not re.search(r"\.\d", n):
                    x += 0.3 * math.sin((0.8 + 0.31 * j) * r + k)
                row.append((f"{what}.{n}", x))
        rows.append(row)
    with open(os.path.join(program.folder, name), "w", encoding="utf-8") as f:
        f.write(",".join(n for n, _ in rows[0]) + "\n")
        f.writelines(",".join(repr(round(x, 6)) for _, x in row) + "\n" for row in rows)


def join(to, other):
    """Columns of another table besides; to those of the same name some of what was there is added,
    as if it were noise."""
    with open(to, encoding="utf-8") as a, open(other, encoding="utf-8") as b:
        left = [x.split(",") for x in a.read().splitlines()]
        right = [x.split(",") for x in b.read().splitlines()]
    names, of = left[0], {n: k for k, n in enumerate(right[0])}
    new = [n for n in right[0] if n not in names and n != "time"]
    out = [",".join(names + new)]
    for l, r in zip(left[1:], right[1:]):
        out.append(
            ",".join([
                repr(float(r[of[n]]) + 0.01 * float(x)) if n in of and n != "time" else x
                for n, x in zip(names, l)
            ] + [r[of[n]] for n in new]))
    write(to, "\n".join(out) + "\n")


def has(program, what):
    if what == "ipopt":
        return "planning needs Ipopt" not in program.run(
            ["plan", "examples/two_link_min_time/problem.yaml", "--out", "probe"])[1]
    program.run(["view", "robots/planar_2r.yaml", "-o", "probe.html"])
    with open(os.path.join(program.folder, "probe.html"), encoding="utf-8") as f:
        return 'id="arne-data"' in f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def do(program, command, tolerance, dropped):
    """What a command says: reduced lines."""
    words, inside = shlex.split(command), lambda p: os.path.join(program.folder, p)
    verb, rest = words[0], words[1:]
    if verb in ("write", "edit", "flaw"):
        program.known.clear()
    if verb == "write":
        write(inside(rest[0]), rest[1].replace("\\n", "\n").replace("\\t", "\t"))
        return []
    if verb == "flaw":
        rest.insert(1, "flaw" + os.path.splitext(rest[0])[1])
    if verb in ("edit", "flaw"):
        with open(inside(rest[0]), encoding="utf-8") as f:
            text = f.read()
        if rest[2] not in text:
            sys.exit(f"$ {command}: {rest[0]} has no such text")
        write(inside(rest[1]), text.replace(rest[2], rest[3].replace("\\n", "\n"), 1))
        if verb == "edit":
            return []
        rest = ["check", rest[1]]
    if verb == "states":
        states(program, rest)
        return []
    if verb == "join":
        join(inside(rest[0]), inside(rest[1]))
        return []
    if verb in ("show", "page", "data", "json"):
        if not os.path.exists(inside(rest[0])):
            return [[" there is no such file"]]
        with open(inside(rest[0]), encoding="utf-8") as f:
            text = f.read()
        if verb == "page":
            lines = reduce.page(text, tolerance)
        elif verb == "data":
            lines = reduce.page(
                "".join(re.findall(r"<script[^>]*arne-data.*?</script>", text, re.S)), tolerance)
        elif verb == "json":
            lines = reduce.data(json.loads(text), tolerance)
        else:
            lines = reduce.plain(text, tolerance)
        return [[" ", *pieces] for pieces in kept(reduce.count(lines), dropped)]
    if verb == "brief":
        rest = rest[1:]
    if "@state" in rest:
        at = rest.index("@state")
        rest[at:at + 1] = state(program.about(rest), rest)
    out, err, status = program.run(rest)
    if verb == "brief":
        out = " ".join(out.split()) + "\n"
    lines = [[" ", *pieces] for pieces in kept(reduce.count(reduce.plain(out, tolerance)), dropped)]
    messages = [text for text in err.splitlines()
                if text.strip() and not any(d in text for d in dropped)]
    lines += [["! ", *pieces] for pieces in reduce.count([[message(text)] for text in messages])]
    return lines + ([[f"= {status}"]] if status else [])


def message(text):
    """Of a message what must not change: place, quoted names, options, kind. For example:
    arm.yaml:3:5 'elbow' [limit]"""
    bare, warned = re.subn(r"^(arne: )?warning: ", "", re.sub(r"^arne: ", "", text))
    place = re.findall(r"^([^\s':]+(?::\d+){0,2}):", bare)
    names = re.findall(r"(?<!\w)'[^']*'(?!\w)|(?<!\S)--[a-z][a-z-]*", bare)
    return " ".join(["warning"] * warned + place + names + re.findall(r"\[\w+\]$", bare))


def refusal(program, command, tolerance, dropped):
    """A refusal as one line."""
    lines = [said(pieces) for pieces in do(program, command, tolerance, dropped)]
    status = [text[2:] for text in lines if text.startswith("= ")] or ["0"]
    return f"~ {command} => " + "; ".join(status + [text[2:] for text in lines if text[0] == "!"])


def kept(lines, dropped):
    """Lines without those of this machine, and without blank ones."""
    return [p for p in lines if said(p).strip() and not any(d in said(p) for d in dropped)]


def said(pieces):
    return "".join(map(str, pieces)).rstrip()


def same(pieces, text):
    """Is this what was kept? Numbers may differ by their tolerances."""
    if said(pieces) == text:
        return True
    pattern = "".join(r"(\S+?)" if isinstance(p, reduce.Number) else re.escape(p) for p in pieces)
    match = re.fullmatch(pattern, text) or re.fullmatch(pattern + r"\s*", text + " ")
    if not match:
        return False
    try:
        numbers = [float(x) for x in match.groups()]
    except ValueError:
        return False
    fresh = [p for p in pieces if isinstance(p, reduce.Number)]
    return all(a == p.value or abs(a - p.value) <= p.tolerance + 2e-9 * abs(a)
               for a, p in zip(numbers, fresh))


def compare(command, lines, before):
    """Says what differs."""
    # A line that is as it was, to its tolerances, takes the place of the one that was kept.
    now, left = [], list(before)
    for pieces in lines:
        text = next((x for x in left if same(pieces, x)), None)
        if text is not None:
            left.remove(text)
        now.append(said(pieces) if text is None else text)
    if now == before:
        return 0
    print(f"$ {command}")
    for text in difflib.ndiff(before, now):
        if text[0] in "-+":
            print(f"  {'was' if text[0] == '-' else 'now'}:{text[2:]}")
    return 1


def parse(path):
    """(line, what was said) of a file, in order; comments and directives say nothing."""
    out = []
    with open(path, encoding="utf-8") as f:
        for text in f.read().splitlines():
            if text[:1] in ("$", "~", "%", "#", ""):
                out.append((text, []))
            else:
                out[-1][1].append(text)
    return out


def play(program, path, renew):
    tolerance, dropped, differences, written = 1e-7, [], 0, []
    for text, before in parse(path):
        words, lines = text.split(), []
        if text.startswith("%"):
            if words[1] == "tolerance":
                tolerance = float(words[2])
            elif words[1] == "drop":
                dropped.append(text.split(None, 2)[2])
            elif words[1] == "needs" and not has(program, words[2]):
                print(f"{os.path.basename(path)}: this build has no {words[2]}: the rest is not "
                      "compared")
                return 0
        elif text.startswith("$"):
            lines = do(program, text[2:], tolerance, dropped)
            differences += not renew and compare(text[2:], lines, before)
        elif text.startswith("~"):
            now = refusal(program, text[2:].rsplit(" =>", 1)[0], tolerance, dropped)
            differences += not renew and compare("a refusal", [[now]], [text])
            text = now
        written += [text, *map(said, lines)]
    if renew:
        write(path, "\n".join(written) + "\n")
    return differences


def main():
    words = sys.argv[1:]
    renew = words[0] == "--renew"
    arne, *files = words[renew:]
    total = 0
    for path in map(os.path.abspath, files):
        folder = tempfile.mkdtemp()
        try:
            os.symlink(os.path.join(ROOT, "robots"), os.path.join(folder, "robots"))
            os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
            shutil.copytree(os.path.join(HERE, "files"), os.path.join(folder, "files"))
            total += play(Program(arne, folder), path, renew)
        finally:
            shutil.rmtree(folder)
    if total:
        sys.exit(f"{total} commands say something else; where that is right: tests/golden/renew "
                 "ARNE")


main()
