"""A headless Chromium, driven by its own protocol: no package beyond what Jupyter brings."""

import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --disable-background-networking"
    " --no-first-run --disable-component-update --disable-sync --remote-debugging-port=0"
)
LOADED = "document.readyState == 'complete'"


def executable():
    """Return the path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. ``complaints`` are errors since the last page was opened, ``requests`` addresses."""

    def __init__(self, connection):
        self._socket, self._number = connection, 0
        self.complaints, self.requests = [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Send a command; return its answer, and note the events that come before it."""
        self._number += 1
        told = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(told))
        while (answer := json.loads(self._socket.recv())).get("id") != self._number:
            self._note(answer.get("method"), answer.get("params", {}))
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _note(self, event, told):
        if event == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        bad = event == "Runtime.exceptionThrown"
        bad |= event == "Runtime.consoleAPICalled" and told["type"] == "error"
        bad |= event == "Log.entryAdded" and told["entry"]["level"] == "error"
        if bad:
            self.complaints.append(json.dumps(told)[:400])

    def open(self, address, width=1280, height=800, dark=False, still=False, seconds=20):
        """Show a page in a window of some size and wait until it is loaded."""
        self.complaints, self.requests = [], []
        self.resize(width, height)
        asked = {"color-scheme": "dark" if dark else "light"}
        asked["reduced-motion"] = "reduce" if still else "no-preference"
        features = [{"name": f"prefers-{name}", "value": value} for name, value in asked.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait(f"{LOADED} && location.protocol != 'about:'", seconds)

    def resize(self, width, height=800):
        """Make the window so many pixels wide."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def run(self, script):
        """Return what an expression of JavaScript is, waiting for it if it is a promise."""
        told = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", **told)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, script, seconds=20):
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"!!({script})"):  # an element as a value would be an empty dict
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)

    def press(self, key, code):
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            told = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type=kind, **told)


@contextlib.contextmanager
def started():
    """Start Chromium with a profile of its own and stop it afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [executable(), *FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port, end = Path(profile) / "DevToolsActivePort", time.monotonic() + 60
            while not (port.exists() and port.read_text().count("\n")):
                assert time.monotonic() < end and process.poll() is None, "Chromium did not start"
                time.sleep(0.1)
            address = f"http://127.0.0.1:{port.read_text().split()[0]}/json/list"
            tabs = json.load(urllib.request.urlopen(address))
            tab = next(one for one in tabs if one["type"] == "page")
            where = tab["webSocketDebuggerUrl"]
            yield Browser(websocket.create_connection(where, timeout=60, suppress_origin=True))
        finally:
            process.terminate()
            process.wait(30)
