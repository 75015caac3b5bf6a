"""Texts made short, so that they can be kept and compared.

A number is kept with nine digits. Of a line with many numbers the shape is kept and two sums: one
of the numbers, weighted, and one of their logarithms, in which small ones count as much as large
ones. A table is kept as its first and last rows and sums of its columns. Of pages and drawings what
is kept is their text, the shape of their elements, and their data.

A reduced text is a list of lines; a line is a list of pieces, each a text or a number with its
tolerance.
"""
import base64
import json
import math
import re
import struct
import zlib

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w])")
FEW = 14          # numbers of a line that stands as it is
MOST = 40         # columns of a table that are kept one by one
LONGEST = 260     # characters of a line that stands as it is
NOTHING = 1e-9    # smaller numbers are rounding
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class Number:
    def __init__(self, value, tolerance, text=None):
        self.value, self.tolerance, self.text = value, tolerance, text

    def __str__(self):
        if abs(self.value) < NOTHING:
            return "0"
        return self.text if self.text is not None and len(self.text) <= 10 else f"{self.value:.9g}"


def weight(k):
    return 1 + math.modf(k * 0.6180339887498949)[0]


def sums(values, tolerance):
    """The two sums of many numbers; what rounding may do to them is what it may do to each."""
    # "no limit" would drown the others
    values = [math.copysign(1, v) if abs(v) >= 1e300 and math.isfinite(v) else v for v in values]
    bad = sum(not math.isfinite(v) for v in values)
    if bad:
        rest = [weight(k) * math.asinh(v * 1e6) for k, v in enumerate(values) if math.isfinite(v)]
        return ["not finite ", Number(bad, 0), " ",
                Number(sum(rest), 100 * tolerance * (1 + len(values)))]
    plain = [weight(k) * v for k, v in enumerate(values)]
    logs = [weight(k) * math.asinh(v * 1e6) for k, v in enumerate(values)]
    return [Number(sum(plain), tolerance * sum(map(abs, plain)) + NOTHING), " ",
            Number(sum(logs), 100 * tolerance * (1 + len(values)))]


def shape(text):
    """A text, or its beginning and a checksum."""
    return text if len(
        text) <= LONGEST else f"{text[:100]}... ({len(text)} characters, {zlib.crc32(text.encode()):08x})"


def numbered(text, tolerance):
    """Pieces of one line, all of its numbers."""
    pieces, at, found = [], 0, list(NUMBER.finditer(text))
    size = max((abs(float(m.group(0))) for m in found if math.isfinite(float(m.group(0)))),
               default=0)
    for m in found:
        value = float(m.group(0))
        pieces += [text[at:m.start()],
                   Number(value, tolerance * abs(value) + 1e-3 * tolerance * size + NOTHING,
                          m.group(0))]
        at = m.end()
    return pieces + [text[at:]]


def line(text, tolerance):
    text = re.sub("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m.group(1).translate(RAISED), text)
    text = re.sub(r"(?<=\S) {2,}", "  ", text)  # columns of words are as wide as their numbers
    found, bare = NUMBER.findall(text), NUMBER.sub("#", text)
    if len(found) <= FEW and len(bare) <= LONGEST:
        return numbered(text, tolerance)
    pieces = [shape(re.sub(r"#(, ?#){2,}", "#..", bare))]
    return pieces + ([f" {{{len(found)}: ", *sums([float(x) for x in found], tolerance), "}"]
                     if found else [])


def is_row(text):
    return re.fullmatch(r"[-+\d.,eE]+", text) and "," in text


def table(rows, tolerance):
    columns = list(zip(*[[float(x) if x else 0.0 for x in r.split(",")] for r in rows]))
    out = [line(rows[0], tolerance), line(rows[-1], tolerance)]
    pieces = [f"{{{len(rows)} rows:"]
    if len(columns) > MOST:
        of = [sum(weight(k) * v for k, v in enumerate(c)) for c in columns]
        return out + [pieces + [" ", *sums(of, tolerance), "}"]]
    for c in columns:
        values = [weight(k) * v for k, v in enumerate(c)]
        pieces += [" ", Number(sum(values), tolerance * sum(map(abs, values)) + NOTHING)]
    return out + [pieces + ["}"]]


def plain(text, tolerance):
    """Any text: rows of many numbers become a table."""
    lines, out, at = text.splitlines(), [], 0
    while at < len(lines):
        end = at
        while end < len(lines) and is_row(lines[end]) and lines[end].count(",") == lines[at].count(
                ","):
            end += 1
        if end - at > 3:
            out += table(lines[at:end], tolerance)
            at = end
        else:
            out.append(line(lines[at], tolerance))
            at += 1
    return out


# ---- data and pages

def floats(text):
    """The numbers behind a text in base64, or None."""
    if len(text) < 8 or len(text) % 4 or not re.fullmatch(r"[A-Za-z0-9+/]+=*", text):
        return None
    raw = base64.b64decode(text)
    return None if len(raw) % 4 else struct.unpack(f"<{len(raw) // 4}f", raw)


def leaves(value, path=""):
    """(path, leaf) of JSON; places in lists are not told apart."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, f"{path}.{k}")
    elif isinstance(value, list):
        for v in value:
            yield from leaves(v, path if path.endswith("[]") else path + "[]")
        if not value:
            yield path, "[]"
    else:
        yield path, value


def data(value, tolerance):
    """JSON, a line for each path: its numbers, then its words."""
    paths, out = {}, []
    for path, leaf in leaves(value):
        numbers, words, packed = paths.setdefault(path, ([], [], []))
        if isinstance(leaf, (int, float)) and not isinstance(leaf, bool):
            numbers.append(float(leaf))
        elif isinstance(leaf, str) and floats(leaf):
            packed.extend(floats(leaf))
        else:
            words.append(leaf if isinstance(leaf, str) else json.dumps(leaf))
    for path, (numbers, words, packed) in paths.items():
        pieces = [path + " "]
        if len(numbers) > FEW:
            pieces += [f"{{{len(numbers)}: ", *sums(numbers, tolerance), "}"]
        elif numbers:
            pieces += numbered(" ".join(map(repr, numbers)), tolerance)
        if packed:  # in single precision
            pieces += [f"{{{len(packed)}: ", *sums(packed, max(tolerance, 1e-6)), "}"]
        if words:
            pieces += [" ", *line(" | ".join(words), tolerance)]
        out.append(pieces)
    return out


def drawing(svg, tolerance):
    """The words of a drawing, and its elements by kind and class, each kind with the sums of its
    numbers."""
    words = [re.sub(r"\s+", " ", w).strip() for w in re.findall(r">([^<>]+)<", svg)]
    out = [line("  words: " + " | ".join(w for w in words if w), tolerance)]
    kinds = {}
    # shades, which rounding may change
    svg = re.sub(r' (?:fill|stroke|color)="#[0-9a-f]{6}"', "", svg)
    for name, rest in re.findall(r"<(\w+)((?:\s[^<>]*)?)>", svg):
        key = name + NUMBER.sub("#", re.sub(r'\b(d|points)="[^"]*"', "path", rest))
        # M1 2L3 4: all four count
        rest = re.sub(r'(?<= d=")[^"]*', lambda m: re.sub(r"[A-Za-z]", " ", m.group(0)), rest)
        kinds.setdefault(key if len(key) < 200 else shape(key),
                         []).extend(float(x) for x in NUMBER.findall(rest) if x[-1] not in "nf")
    for key, values in kinds.items():
        key = re.sub(r"\s+", " ", key)
        # Drawings have two or three decimals, and what is rounded may round the other way.
        tell = [] if not values else [f" {{{len(values)}: ",
                                      Number(sum(weight(k) * v for k, v in enumerate(values)),
                                             0.02 * len(values)), "}"]
        out.append([f"  {key}", *tell])
    return out


def attributes(tag):
    """Of a tag within a line: its classes, data and address."""
    return "".join(f"[{a}] " for a in re.findall(r'(?:class|data-[-\w]+|href|title)="[^"]*"', tag))


def page(text, tolerance):
    """A page: its text and attributes, drawings, and data."""
    out = []
    text = re.sub(r"<style.*?</style>", "", text, flags=re.S)
    for part in re.split(r"(<svg.*?</svg>|<script.*?</script>)", text, flags=re.S):
        if part.startswith("<svg"):
            out += [["drawing"], *drawing(part, tolerance)]
        elif part.startswith("<script") and 'id="arne-data"' in part[:80]:
            out += [["data"], *data(json.loads(part[part.index(">") + 1:-9]), tolerance)]
        elif not part.startswith("<script"):
            part = re.sub(r"<(?:t[dh]|span|b|a|i|code|sub|sup|small)(?:\s[^<>]*)?>",
                          lambda m: " " + attributes(m.group(0)), part)
            part = re.sub(r"</\w+>", " ", re.sub(r"<(?!/)", "\n<", re.sub(r"\s+", " ", part)))
            out += [line(t, tolerance)
                    for t in (re.sub(r"\s+", " ", x).strip() for x in part.splitlines()) if t]
    return out


def count(lines):
    """Lines that stand several times, one after the other, once."""
    out = []
    for pieces in lines:
        said = "".join(map(str, pieces))
        if out and out[-1][0] == said:
            out[-1][2] += 1
        else:
            out.append([said, pieces, 1])
    return [pieces + ([f"  ({n} times)"] if n > 1 else []) for _, pieces, n in out]
