"""The same rules with today's devices and sizes: all but the people grows a thousandfold.

Programs are a thousand times as large and compute a thousand times as much, on a processor a
thousand times as fast. A request moves eight pages of 4 KB, as Linux reads ahead when it swaps.
"""

import pandas as pd

from perfkit.runs.experiment import sweep
from perfkit.systems.sim61 import TABLE_2, Device, Parameters, backing_store_load, simulate
from perfkit.systems.sim61.parameters import PAGE_BYTES

THOUSAND = 1024
CLUSTER_PAGES = 8
REQUESTS = THOUSAND // CLUSTER_PAGES  # for each page of the paper
PAGES = ("memory_pages", "supervisor_pages", "extra_pages")
SLICES = ("interactive_slice_ms", "batch_slice_ms", "compute_bound_ms")
FLASH_MS = 0.1  # one request of a solid-state store, at a time per channel
DISC = Device(
    transfer_kb_per_s=200_000.0 / CLUSTER_PAGES, revolution_ms=8.3, window_ms=0.0,
    seek_ms=(1.0, 8.0, 16.0), cylinders=1000, pages_per_track=40,
)  # fmt: skip
FLASH = Device(
    transfer_kb_per_s=PAGE_BYTES / FLASH_MS, revolution_ms=0.0, seek_ms=(0, 0, 0), window_ms=0.0
)
DEVICES = {**TABLE_2, "disc": DISC, "flash": FLASH}
STORES = {
    "one hard disc": ("disc",),
    "flash, one channel": ("flash",),
    "flash, ten channels": ("flash",) * 10,
}


def load():
    """Return Table 1 for programs a thousand times as large; think times do not change."""
    classes = backing_store_load()
    for name in classes:
        if name.startswith("working_set"):
            classes[name] = classes[name] * REQUESTS
        elif "compute" in name or "interval" in name:
            classes[name] = classes[name] * THOUSAND
    return classes.assign(virtual_memory_pages=classes["virtual_memory_pages"] * REQUESTS)


def parameters(**changes):
    """Return the machine with 1 GB, a processor a thousand times as fast, and flash for files."""
    own = Parameters(**changes)
    larger = {name: getattr(own, name) * REQUESTS for name in PAGES}
    longer = {name: getattr(own, name) * THOUSAND for name in SLICES}
    return own.replace(
        processor_add_us=own.processor_add_us / THOUSAND, **larger, **longer, user_disc="flash",
        paging_devices=STORES["flash, one channel"], settle_s=60.0, measured_s=180.0,
    )  # fmt: skip


def simulate_stores(gigabytes, replications, seed=0, stores=STORES, batch=True, **changes):
    """Simulate each kind of store with each size of memory, with or without batch tasks.

    One row per run, with ``store`` and ``gigabytes``.
    """
    own, classes = parameters(**changes), load()
    classes = classes if batch else classes[classes["task_type"] != "batch"]
    grid = [(name, size) for name in stores for size in gigabytes]
    design = pd.DataFrame(
        {
            "paging_devices": [STORES[name] for name, _ in grid],
            "memory_pages": [round(size * own.memory_pages) for _, size in grid],
        }
    )
    rows = sweep(
        simulate,
        own,
        design,
        replications,
        seed=seed,
        progress=False,
        load=classes,
        devices=DEVICES,
    )
    names, sizes = zip(*(grid[point] for point in rows["point"]), strict=True)
    return rows.assign(store=names, gigabytes=sizes)
