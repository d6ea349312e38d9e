"""The app in a browser, as ``make explore`` serves it: a field moves the picture, or is refused."""

import importlib.util
import re
import socket
import subprocess
import sys
import threading
import urllib.parse

import pytest

from tests.site.conftest import ROOT

LIMIT_S = 240.0  # on a machine that does much else, kernels to compile
PICTURE = "document.querySelector('img.widget-image')"
IMAGE = f"{PICTURE}.src"
LINE = "document.querySelector('textarea')?.value"
TYPE = """(() => {{ const name = [...document.querySelectorAll('.told b')].find(
    (one) => one.textContent == '{name}');
  const field = name.closest('.widget-vbox').querySelectorAll('input')['AB'.indexOf('{machine}')];
  field.value = '{value}';
  for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {{ bubbles: true }}));
}})()"""


@pytest.fixture
def app():
    """Serve the notebook; return its address."""
    if not importlib.util.find_spec("voila"):
        pytest.skip("Voila is not installed; make test-site installs it.")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (made,) = re.findall(r"^\t\$\(BIN\)/voila (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    options = made.replace("$(VOILA)", f"--no-browser --port={port}").split()
    command = [sys.executable, "-m", "voila", *options]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        address = next(line for line in process.stderr if "http://" in line)
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address.strip().replace("localhost", "127.0.0.1")
    finally:
        process.terminate()
        process.wait(30)


def test_the_app_serves_this_machine_only_and_a_field_moves_the_picture(app, browser):
    browser.open(app, height=1200, seconds=LIMIT_S)
    browser.wait(f"{LINE}?.startsWith('perfkit run') && {PICTURE}", LIMIT_S)
    with pytest.raises(ConnectionRefusedError):  # where 0.0.0.0 would be bound, it answers
        socket.create_connection(("127.0.0.2", urllib.parse.urlsplit(app).port))
    first = browser.run(IMAGE)
    browser.run(TYPE.format(name="processes", machine="B", value="5"))
    browser.wait(f"{IMAGE} != '{first}'", LIMIT_S)
    browser.wait(
        f"{LINE}.includes('replications=4 --compare processes=5')", LIMIT_S
    )  # all its runs
    second = browser.run(IMAGE)
    browser.run(TYPE.format(name="processes", machine="B", value="0"))
    browser.wait("document.querySelector('.refused') && document.querySelector('.said')", LIMIT_S)
    said = browser.run("document.querySelector('.said').textContent")
    assert said.startswith("processes must be") and browser.run(IMAGE) == second
    assert browser.run(LINE) == "perfkit run unix_v6 replications=4 --compare processes=5"
