"""Builds the wheel and the source distribution of Arne: PEP 517, with cmake and nothing else.

    make python            the wheel in build/python, from the release build
    pip install ./python   the same, from a build of its own in a temporary folder

ARNE_BUILD in the environment names a folder that cmake has built arne_python in; it is taken from
there. CMAKE_ARGS there are further arguments for cmake, such as -DARNE_NATIVE=ON.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# What it takes to build from source, and what a user of the sources wants to read.
SOURCES = ("CMakeLists.txt LICENSE CHANGELOG.md cli cmake docs examples include python robots src "
           "tools web".split())
LEFT_OUT = {"__pycache__", ".mypy_cache", ".pytest_cache", "build", "node_modules", "dist"}
EPOCH = (1980, 1, 1, 0, 0, 0)  # equal sources give equal archives


def version() -> str:
    """Said once, in the public header."""
    text = (ROOT / "include/arne/version.h").read_text()
    found = re.search(r'ARNE_VERSION_STRING "([^"]+)"', text)
    if not found:
        raise SystemExit("include/arne/version.h has no version")
    return found.group(1)


def metadata() -> str:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {name}" for name in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text()


# --- the wheel


# What every Linux with a C library of that age has: PEP 600.
EVERYWHERE = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux[-\w]*)\.so\.\d+")


def platform(files: list[Path]) -> str:
    """manylinux_2_34_x86_64 where the extension needs nothing but a C library of that age, else
    linux_x86_64.

    The modules beside it may be built against newer symbols: they count. The solvers that they load
    do not: a module whose solver is missing is not loaded, and a message names the package.
    """
    plain = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    newest = (2, 5)
    if not plain.startswith("linux_"):
        return plain
    for path in files:
        try:
            command = ["readelf", "--wide", "--dynamic", "--version-info", str(path)]
            told = subprocess.run(command, check=True, capture_output=True, text=True,
                                  env={**os.environ, "LC_ALL": "C"}).stdout
        except (OSError, subprocess.CalledProcessError):
            return plain
        needs = re.findall(r"Shared library: \[([^]]+)\]", told)
        if path.name.startswith("_arne.") and not all(EVERYWHERE.fullmatch(name) for name in needs):
            return plain
        newest = max(newest,
                     *((int(a), int(b)) for a, b in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", told)),
                     newest)
    return f"many{plain.replace('linux_', f'linux_{newest[0]}_{newest[1]}_', 1)}"


def build_extension(folder: Path) -> Path:
    """The folder with the extension in it: built here unless ARNE_BUILD has it."""
    given = os.environ.get("ARNE_BUILD")
    if given:
        return Path(given).resolve() / "python"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DARNE_PYTHON=ON",
               f"-DPython3_EXECUTABLE={sys.executable}"]
    options += [f"-DARNE_{what}=OFF" for what in ("TESTS", "BENCH", "EXAMPLES")]
    options += shlex.split(os.environ.get("CMAKE_ARGS", ""))
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *options], check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(folder), "--target", "arne_python_all", "--parallel",
                    jobs], check=True)
    return folder / "python"


def package_files(built: Path) -> Iterator[tuple[str, bytes, int]]:
    """Name, content and mode of all that the wheel holds beside its own facts."""
    # Notices of what the extension is linked with, and of what its pages contain.
    for path, name in ((built.parent / "THIRD-PARTY.txt", "THIRD-PARTY.txt"),
                       (built.parent / "web/licences.txt", "licences-of-the-viewer.txt")):
        if path.exists():
            yield f"arne-{version()}.dist-info/{name}", path.read_bytes(), 0o644
    for path in sorted((HERE / "arne").rglob("*")):
        if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed":
            yield f"arne/{path.relative_to(HERE / 'arne')}", path.read_bytes(), 0o644
    for path in sorted((ROOT / "robots").iterdir()):
        if path.suffix in (".yaml", ".urdf", ".md"):
            yield f"arne/robots/{path.name}", path.read_bytes(), 0o644
    modules = sorted(built.glob("*.so"))
    if not any(path.name == "_arne.abi3.so" for path in modules):
        raise SystemExit(f"{built} has no _arne.abi3.so")
    for path in modules:
        yield f"arne/{path.name}", path.read_bytes(), 0o755


def write_wheel(path: Path, files: list[tuple[str, bytes, int]], info: str) -> None:
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content, mode in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode(
                )
            record.append(f"{name},sha256={digest},{len(content)}")
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
        record.append(f"{info}/RECORD,,\n")
        entry = zipfile.ZipInfo(f"{info}/RECORD", EPOCH)
        entry.external_attr = 0o644 << 16
        wheel.writestr(entry, "\n".join(record))


def facts(tag: str = "") -> list[tuple[str, bytes, int]]:
    """What the wheel says about itself; before it is built without its tag."""
    info = f"arne-{version()}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: arne\nRoot-Is-Purelib: false\n" + (
        f"Tag: {tag}\n" if tag else "")
    return [
        (f"{info}/METADATA", metadata().encode(), 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
        (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
    ]


def prepare_metadata_for_build_wheel(metadata_directory: str,
                                     config_settings: object = None) -> str:
    """So that nobody builds all of it to learn its name."""
    for name, content, _ in facts():
        path = Path(metadata_directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return f"arne-{version()}.dist-info"


def build_wheel(wheel_directory: str, config_settings: object = None,
                metadata_directory: str | None = None) -> str:
    name = f"arne-{version()}"
    with tempfile.TemporaryDirectory() as temporary:
        built = build_extension(Path(temporary))
        files = list(package_files(built))
        tag = f"cp311-abi3-{platform(sorted(built.glob('*.so')))}"
    write_wheel(Path(wheel_directory) / f"{name}-{tag}.whl", files + facts(tag),
                f"{name}.dist-info")
    return f"{name}-{tag}.whl"


# --- the source distribution


def source_files() -> Iterator[Path]:
    for name in SOURCES:
        top = ROOT / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and not LEFT_OUT & set(
                    path.relative_to(ROOT).parts) and path.suffix not in (".so", ".pyc"):
                yield path


def bundle() -> Iterator[tuple[str, bytes]]:
    """The viewer of pages, as a build has made it: an archive with it needs no npm."""
    places = [ROOT / "web/dist", Path(os.environ.get("ARNE_BUILD", ROOT / "build")) / "web"]
    for place in places:
        if (place / "view.js").exists() and (place / "view.js").stat().st_size:
            yield from ((f"web/dist/{path.name}", path.read_bytes())
                        for path in sorted(place.iterdir()))
            return


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    name = f"arne-{version()}"
    # Here the tree is one above the project's folder; in the archive both are the same.
    project = (HERE / "pyproject.toml").read_text().replace(
        'backend-path = ["."]', 'backend-path = ["python"]')
    made = {"pyproject.toml": project.encode(), "PKG-INFO": metadata().encode()}
    made["README.md"] = (HERE / "README.md").read_bytes()
    made.update(bundle())
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path in source_files():
            made[str(path.relative_to(ROOT))] = path.read_bytes()
        for inner, content in sorted(made.items()):
            entry = tarfile.TarInfo(f"{name}/{inner}")
            entry.size = len(content)
            entry.mode = 0o755 if os.access(ROOT / inner, os.X_OK) else 0o644
            archive.addfile(entry, io.BytesIO(content))
    (Path(sdist_directory) / f"{name}.tar.gz").write_bytes(gzip.compress(plain.getvalue(), mtime=0))
    return f"{name}.tar.gz"


def main() -> None:
    """python3 backend.py FOLDER: the wheel alone there, without an older one beside it."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("arne-*.whl"):
        old.unlink()
    print(folder / build_wheel(str(folder)))


if __name__ == "__main__":
    main()
