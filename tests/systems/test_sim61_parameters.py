"""Parameters, devices and loads: the paper's tables are the defaults."""

import pytest

from perfkit.systems.sim61 import (
    TABLE_2,
    Device,
    NToOneLoad,
    Parameters,
    n_to_1_load,
    simulate,
)


def test_the_n_to_1_load_has_20_interactive_tasks_and_a_batch_task():
    frame = n_to_1_load()
    tasks = frame.groupby("task_type")["tasks"].sum()
    assert tasks.to_dict() == {"interactive": 20, "batch": 1}
    assert frame["think_s"].tolist()[:2] == [15.0, 10.0]
    smaller = n_to_1_load(NToOneLoad(paging_working_set_pages=12.0))
    assert smaller["working_set_pages"].tolist()[2] == 12.0
    with pytest.raises(ValueError, match="two numbers"):
        NToOneLoad(basic_think_s=(5.0,))


def test_devices_move_what_their_figures_allow():
    assert TABLE_2["8567"].pages_per_s() == pytest.approx(58.1, abs=0.05)
    assert TABLE_2["8567"].page_ms() == pytest.approx(13.7)
    assert TABLE_2["8580"].pages_per_s() == pytest.approx(23.0, abs=0.1)
    assert TABLE_2["LAM"].pages_per_s() == pytest.approx(195.3, abs=0.1)
    with pytest.raises(ValueError, match="less than revolution_ms"):
        Device(window_ms=20.0)
    with pytest.raises(
        ValueError, match=r"pages \(81\.9 ms\) and window_ms fit .*; 85\.4 ms exceed 17\.2"
    ):
        Device(transfer_kb_per_s=50)
    with pytest.raises(ValueError, match="seek_ms must be three numbers"):
        Device(seek_ms=(10.0, 30.0))
    with pytest.raises(ValueError, match="No seek curve"):
        Device(cylinders=100, seek_ms=(0.0, 50.0, 0.0))


def test_a_reader_may_define_a_device():
    devices = {**TABLE_2, "twice": Device(transfer_kb_per_s=666, revolution_ms=8.6, window_ms=1.75)}
    p = Parameters(paging_devices="twice", settle_s=5.0, measured_s=55.0)
    assert simulate(p, devices=devices).paging_pages_per_s > 60.0


@pytest.mark.parametrize(("devices", "same"), [("8567", True), ("LAM", True), ("8580", False)])
def test_the_rule_of_the_tracks_beginning_is_about_discs(devices, same):
    p = Parameters(paging_devices=devices, settle_s=5.0, measured_s=20.0)
    without = simulate(p.replace(from_track_beginning=False)).measures()
    assert (simulate(p).measures() == without) == same
