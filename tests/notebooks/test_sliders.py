"""A panel of sliders in a running kernel: what a browser sends, and what it is sent back."""

import time
from base64 import b64decode

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from perfkit.show.explore import VIEW
from perfkit.show.plots import few_colours
from studies.commands import reproduce

PANEL = """
%matplotlib inline
from types import SimpleNamespace
from perfkit.show import explore
from perfkit.systems import unix_v6

def formula(parameters, seed):
    return SimpleNamespace(measures=lambda: {"elapsed_s": parameters.processes + seed})

small = unix_v6.Parameters(processes=3)
explore.sliders(formula, small, {"processes": (2, 6)}, ["elapsed_s"])
"""
LIMIT_S = 120.0


@pytest.fixture
def client():
    manager, client = start_new_kernel()
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def messages_until(client, kind):
    """Return what the kernel sends, up to the first message of a kind."""
    found, end = [], time.monotonic() + LIMIT_S
    while not found or found[-1]["msg_type"] != kind:
        assert time.monotonic() < end, "waited in vain"
        found.append(client.get_iopub_msg(timeout=LIMIT_S))
        assert found[-1]["msg_type"] != "error", found[-1]["content"]["evalue"]
    return found


def drawn(client, image):
    """Return the next picture that an image widget is sent."""
    while True:
        message = messages_until(client, "comm_msg")[-1]
        state = message["content"]["data"].get("state", {})
        if message["content"]["comm_id"] == image and message["buffers"]:
            assert message["content"]["data"]["buffer_paths"] == [["value"]], state
            return bytes(message["buffers"][0])


def test_sliders_let_go_in_a_browser_redraw_the_image_and_the_last_one_stands(client):
    client.execute(PANEL)
    told = messages_until(client, "display_data")
    shown = told[-1]["content"]
    caption = messages_until(client, "display_data")[-1]["content"]["data"]
    assert shown["data"]["text/plain"].endswith("Controls, in a running notebook: processes.")
    assert len(shown["metadata"]["image/png"]["alt"]) >= 40 and "Grey" in caption["text/markdown"]
    opened = [message["content"] for message in told if message["msg_type"] == "comm_open"]
    kinds = {comm["data"]["state"].get("_model_name"): comm["comm_id"] for comm in opened}
    pictures = {}
    for places in ([6], [3], [2, 4, 5, 6]):
        for place in places:
            data = {"method": "update", "state": {"value": place}, "buffer_paths": []}
            turned = {"comm_id": kinds["IntSliderModel"], "data": data}
            client.shell_channel.send(client.session.msg("comm_msg", turned))
        pictures[places[-1], len(places)] = drawn(client, kinds["ImageModel"])
    assert b64decode(shown["data"]["image/png"]) == few_colours(pictures[3, 1])
    assert pictures[3, 1] != pictures[6, 1]
    last = pictures[6, 4]
    while last != pictures[6, 1]:  # at the most the first of those that were turned at once
        last = drawn(client, kinds["ImageModel"])


def test_executed_notebooks_keep_the_picture_and_no_name_of_a_widget():
    cell = nbformat.v4.new_code_cell("panel", execution_count=1)
    told = "Controls, in a running notebook: users."
    data = {VIEW: {"model_id": "5f3"}, "image/png": "iVBO", "text/plain": told}
    look = {"image/png": {"alt": "a curve that falls"}}
    cell.outputs = [nbformat.v4.new_output("display_data", data=data, metadata=look)]
    stripped = reproduce._stripped(nbformat.v4.new_notebook(cells=[cell]))
    (shown,) = stripped.cells[0].outputs
    assert {kind: text.strip() for kind, text in shown.data.items()} == {
        "image/png": "iVBO",
        "text/plain": told,
    }
    assert shown.metadata == look
