"""Folders of ROS packages, as `--package NAME=DIR` of the shell."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Union

    Packages = Optional[Mapping[str, Union[str, os.PathLike[str]]]]

_VARIABLE = "ARNE_PACKAGES"  # one NAME=DIR a line; the library reads it when it looks for a package


@contextlib.contextmanager
def package_folders(packages: Packages) -> Iterator[None]:
    """Within, the library looks for these packages first. It holds for the whole process."""
    if not packages:
        yield
        return
    for name, folder in packages.items():
        if not name or "=" in name or "\n" in name:
            raise ValueError(f"packages: {name!r} is no name of a package")
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"packages: there is no folder {os.fspath(folder)!r} for "
                                    f"{name}")
    before = os.environ.get(_VARIABLE)
    lines = [f"{name}={os.path.abspath(folder)}\n" for name, folder in packages.items()]
    os.environ[_VARIABLE] = "".join(lines) + (before or "")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
