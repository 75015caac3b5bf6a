"""A page that follows a robot of this program, over a WebSocket (RFC 6455) on this machine
alone."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

_RATE = 60.0  # poses a second, at most
_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_SCRIPT = """<script>
(() => {
    const connect = () => {
        const socket = new WebSocket(`ws://${location.host}${location.pathname}/poses`);
        socket.onmessage = (e) => window.arne?.pose?.(JSON.parse(e.data));
        socket.onclose = () => setTimeout(connect, 1000);
    };
    connect();
})();
</script>
</body>"""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    disable_nagle_algorithm = True  # else small frames wait for the page's acknowledgement, 40 ms

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: this is a library."""

    def do_GET(self) -> None:
        own = f"127.0.0.1:{self.server.server_port}"
        if self.headers.get("Host") != own:  # a name of somebody else that leads here
            self.send_error(403)
        elif secrets.compare_digest(self.path.encode(), f"/{self.server.token}".encode()):
            self._send_page(own)
        elif not secrets.compare_digest(self.path.encode(), f"/{self.server.token}/poses".encode()):
            self.send_error(404)
        elif self.headers.get("Origin") != f"http://{own}" or not self.headers.get(
                "Sec-WebSocket-Key"):
            self.send_error(403)
        else:
            self._send_poses()

    def _send_page(self, own: str) -> None:
        page = self.server.page.replace("script-src",
                                        f"connect-src ws://{own} data: blob:; script-src", 1)
        body = page.replace("</body>", _SCRIPT).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _send_poses(self) -> None:
        key = self.headers["Sec-WebSocket-Key"] + _GUID
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept",
                         base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        seen, due = -1, time.monotonic()
        try:
            while not self.server.closed.wait(due - time.monotonic()):
                due = max(due + 1 / _RATE, time.monotonic())  # no drift; no burst after a delay
                count, text = self.server.pose
                if count == seen:
                    continue
                seen = count
                # One unmasked text frame; its length takes 7, 16 or 64 bits.
                size = len(text)
                head = (
                    struct.pack("!BB", 0x81, size)
                    if size < 126
                    else struct.pack("!BBH", 0x81, 126, size)
                    if size < 65536
                    else struct.pack("!BBQ", 0x81, 127, size)
                )
                self.wfile.write(head + text)
        except OSError:
            pass  # the page was closed


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, page: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page, self.token = page, secrets.token_urlsafe(24)
        self.pose: tuple[int, bytes] = (-1, b"")
        self.closed = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no mistake."""


class LiveView:
    """A page that shows the positions it was last given: `robot.show(live=True)`.

    It is served on 127.0.0.1 only, at an address with a secret in it, and takes connections of its
    own page alone.
    """

    def __init__(self, page: str, q_count: int) -> None:
        self._q_count = q_count
        self._server = _Server(page)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._server.server_port}/{self._server.token}"

    def update(self, q: Any) -> None:
        """Shows these positions (q_count): quick, from any loop; the page takes the latest, 60
        times a second at most."""
        positions = np.asarray(q, dtype=float)
        if positions.shape != (self._q_count,):
            raise ValueError(f"q: the shape is {positions.shape}, not ({self._q_count},)")
        if not np.isfinite(positions).all():
            raise ValueError("q: a number is not finite")
        self._server.pose = (self._server.pose[0] + 1, json.dumps(positions.tolist()).encode())

    def close(self) -> None:
        """Ends the server; pages keep what they show."""
        self._server.closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<arne.LiveView {self.url}>"
