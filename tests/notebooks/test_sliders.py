"""A panel of sliders in a running kernel: what a browser sends, and what it is sent back."""

import time

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from perfkit import reproduce
from perfkit.explore import VIEW

PANEL = """
%matplotlib inline
from perfkit import explore
from perfkit.systems import unix_v6

small = unix_v6.Parameters(processes=3, interactions=5)
explore.sliders(unix_v6.simulate, small, {"processes": (2, 6)}, ["elapsed_s"])
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


def drawn(messages, kind="display_data"):
    return [
        message["content"]
        for message in messages
        if message["msg_type"] == kind and "image/png" in message["content"]["data"]
    ]


def test_a_slider_let_go_in_a_browser_redraws_the_figure_in_its_place(client):
    client.execute(PANEL)
    told = messages_until(client, "display_data") + messages_until(client, "display_data")
    (first,) = drawn(told)
    shown = [m["content"]["data"] for m in told if m["msg_type"] == "display_data"]
    words = next(data["text/plain"] for data in shown if VIEW in data)
    assert words.startswith("Controls, in a running notebook: processes")
    opened = [message["content"] for message in told if message["msg_type"] == "comm_open"]
    (slider,) = (
        comm["comm_id"]
        for comm in opened
        if comm["data"]["state"].get("_model_name") == "IntSliderModel"
    )
    data = {"method": "update", "state": {"value": 6}, "buffer_paths": []}
    turned = client.session.msg("comm_msg", {"comm_id": slider, "data": data})
    client.shell_channel.send(turned)
    (again,) = drawn(messages_until(client, "update_display_data"), "update_display_data")
    assert again["transient"]["display_id"] == first["transient"]["display_id"]
    assert again["data"]["image/png"] != first["data"]["image/png"]


def test_executed_notebooks_keep_the_figure_and_no_name_of_a_widget(tmp_path):
    cell = nbformat.v4.new_code_cell("panel", execution_count=1)
    view = {VIEW: {"model_id": "5f3"}, "text/plain": "Controls, in a running notebook: users."}
    cell.outputs = [
        nbformat.v4.new_output("display_data", data=view),
        nbformat.v4.new_output("display_data", data={"image/png": "iVBO"}),
    ]
    path = tmp_path / "panel.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    reproduce._strip(path)
    controls, figure = nbformat.read(path, 4).cells[0].outputs
    assert dict(controls.data) == {"text/plain": view["text/plain"]}
    assert figure.data["image/png"].strip() == "iVBO"
