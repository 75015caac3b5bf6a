"""Pages: in a browser, in a notebook."""

from __future__ import annotations

import os
import sys


def in_frame(page: str, height: int = 520) -> str:
    """A page inside a notebook's cell, so high [pixels]."""
    import html

    return (f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: {height}px; border: '
            f'0"></iframe>')


def open_page(path: str | os.PathLike[str]) -> None:
    """Opens a page in a browser, where there is a display."""
    from pathlib import Path

    open_address(Path(path).resolve().as_uri())


def open_address(address: str) -> None:
    """Opens an address in a browser, where there is a display."""
    if sys.platform in ("darwin",
                        "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        import webbrowser

        webbrowser.open(address)
