#!/bin/sh
# Names that mean something to CSV, JSON, YAML, XML, HTML, C, shells, file systems or people: every
# writer writes them so that they read back, or the robot's reader refuses them at once.
. "$(dirname "$0")/checks.inc"
command -v python3 >/dev/null || exit 77
cat >"$T/names.py" <<'END'
import csv, html, json, os, re, subprocess, sys

arne, folder = sys.argv[1], sys.argv[2]
os.chdir(folder)
NAMES = [
    'a,b', 'a;b', 'a"b', '"', '""', "a'b", "it's", 'a b', ' a', 'a\tb', 'a\\b', 'a\\', '\\n', 'a#b', '#', 'a: b', ':',
    '- a', '-', '[a]', '{a}', '&a', '*a', '!a', '%s%n', '@a', '`id`', '$(id)', '${HOME}', '<b>', '</script>', '<!--', ']]>', '&amp;',
    '\u2028', 'a\u2029b', '\u0085', '\ufeff', '\u202eabc', 'é', '関節', '😀', 'null', 'true', '1e5', '.nan', '~', '=1+1', '../x',
    '/', '.', '..', 'a/b', '?', '|', 'int', 'time', 'a' * 300, 'x.y', '"a",b', "a''b",
]
NAMES = NAMES[::int(os.environ.get("ARNE_TEST_PART", "1"))]
flaws = []


def run(*arguments):
    done = subprocess.run([arne, *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode < 0 or done.returncode > 2:
        flaws.append(f"{name!r}: {arguments}: ended by {done.returncode}")
    return done


def check(holds, what):
    if not holds:
        flaws.append(f"{name!r}: {what}")


def joints(robot):
    done = run("info", robot, "--json")
    return [j["name"] for j in json.loads(done.stdout)["joints"]] if done.returncode == 0 else done.stderr


def robot_of(name):
    body = {"mass": 1, "com": [0.1, 0, 0], "inertia": [1, 1, 1]}
    return dump({
        "name": "robot",
        "bodies": [{"name": "base"}, {"name": "L" + name, **body}, {"name": "two", **body}],
        "joints": [
            {"name": name, "kind": "revolute", "parent": "base", "child": "L" + name, "axis": [0, 1, 0],
             "limits": {"lower": -2, "upper": 2, "velocity": 2, "effort": 99}},
            {"name": "other", "kind": "revolute", "parent": "L" + name, "child": "two", "axis": [0, 1, 0],
             "limits": {"lower": -2, "upper": 2, "velocity": 2, "effort": 99}}],
    })


# JSON with letters as they are, but for those that end a line in YAML.
def dump(what):
    text = json.dumps(what, ensure_ascii=False)
    return re.sub("[\u0085\u2028\u2029\ufeff]", lambda c: f"\\u{ord(c[0]):04x}", text)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# A run: the folder is its own the second time, the summary is JSON, the table reads back.
def try_run():
    with open("run.yaml", "w", encoding="utf-8") as file:
        file.write(dump({"robot": "robot.yaml", "duration": 0.02, "integrator": {"method": "rk4", "step": 0.01},
                         "initial": {"q": {name: 0.1}}}))
    for _ in range(2):
        done = run("simulate", "run.yaml", "--quiet", "-o", "out")
        check(done.returncode == 0, f"simulate: {done.stderr}")
    if done.returncode:
        return
    with open("out/summary.json", encoding="utf-8") as file:
        json.load(file)
    table = rows("out/result.csv")
    check(all(len(row) == len(table[0]) for row in table), "rows of result.csv")
    check(f"q.{name}" in [re.sub(r" \[[^]]*\]$", "", c) for c in table[0]], f"columns of result.csv: {table[0][:4]}")
    page = open("out/report.html", encoding="utf-8").read()
    check(page.count("<script") == page.count("</script>"), "the page's scripts")
    done = run("compute", "pose", "robot.yaml", "--states", "out/result.csv", "-o", "pose.csv")
    check(done.returncode == 0, f"compute: {done.stderr}")
    done = run("view", "out", "-o", "view.html")
    check(done.returncode == 0, f"view: {done.stderr}")


def try_design():
    done = run("identify", "design", "robot.yaml", "--starts", "1", "--iterations", "2", "--rate", "20", "-o", "design")
    check(done.returncode == 0, f"design: {done.stderr}")
    if done.returncode:
        return
    for file in ("motion.csv", "parameters.csv", "result.csv"):
        table = rows(f"design/{file}")
        check(all(len(row) == len(table[0]) for row in table), f"rows of design/{file}")
    json.load(open("design/summary.json", encoding="utf-8"))
    done = run("compute", "inverse-dynamics", "robot.yaml", "--states", "design/motion.csv", "-o", "tau.csv")
    check(done.returncode == 0, f"compute of the design: {done.stderr}")
    if done.returncode:
        return
    motion, tau = rows("design/motion.csv"), rows("tau.csv")
    with open("log.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(a + b[1:] for a, b in zip(motion, tau))
    done = run("identify", "fit", "robot.yaml", "log.csv", "-o", "fit")
    check(done.returncode == 0, f"fit: {done.stderr}")
    if done.returncode:
        return
    for file in ("parameters.csv", "friction.csv", "result.csv"):
        table = rows(f"fit/{file}")
        check(all(len(row) == len(table[0]) for row in table), f"rows of fit/{file}")
    json.load(open("fit/summary.json", encoding="utf-8"))
    check(joints("fit/robot.yaml") == [name, "other"], "joints of fit/robot.yaml")


def try_formats():
    for file in ("again.yaml", "again.urdf"):
        done = run("convert", "robot.yaml", "-o", file, "--quiet")
        check(done.returncode == 0, f"convert: {done.stderr}")
        check(joints(file) == [name, "other"], f"joints of {file}: {joints(file)}")
    done = run("generate", "again.yaml", "--functions", "gravity", "-o", "code")
    check(done.returncode == 0, f"generate: {done.stderr}")
    if not done.returncode:
        sources = [f"code/{f}" for f in os.listdir("code") if f.endswith(".c")]
        made = subprocess.run(["cc", "-fsyntax-only", "-Icode", *sources], capture_output=True, text=True)
        check(made.returncode == 0, f"generated code: {made.stderr[:300]}")


for number, name in enumerate(NAMES):
    os.makedirs(str(number))
    os.chdir(str(number))
    with open("robot.yaml", "w", encoding="utf-8") as file:
        file.write(robot_of(name))
    there = joints("robot.yaml")
    if isinstance(there, str):  # refused, with a reason
        check("name" in there and len(there) < 2000, f"refused without a reason: {there}")
    else:
        check(there == [name, "other"], f"joints: {there}")
        try_formats()
        try_run()
        if number % 3 == 0 or '"' in name or len(name) > 99:
            try_design()
    os.chdir("..")
print("\n".join(flaws))
sys.exit(bool(flaws))
END
files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) \
    # runs are brought to disk, which takes its time
trap 'rm -rf "$T" "$files"' EXIT
last="hostile names"
python3 "$T/names.py" "$ARNE" "$files" >"$T/err" 2>&1 || fail "names do not read back"
finish
