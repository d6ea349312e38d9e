"""The layout of EMAS's state: the fields of its records, which the compiled core works on.

Times are in milliseconds unless a name says else; whole numbers are counts, places and flags.
"""

import numpy as np

from perfkit.systems.emas.machine import CORE_QUEUES


def _numbers(*names, kind="f8"):
    return [(name, kind) for name in names]


PROCESS = np.dtype(
    _numbers(
        "state", "next", "category", "queue", "after", "reason", "woken", "batch", "command",
        "due", "run_queue", "charge_pages", "held_pages", "outstanding", "transfers", "writes",
        "written",
        "wanted_page", "cold", "drum", "on_drum", "to_move", "waits_for_drum", "depth",
        "depth_limit",
        "wake_references", "references_used", "commands_used", "kind", "last",
        "output_left", "stretches_left", "answer_lines", "pending_characters", "output_characters",
        "input_characters", "thinks_used", "think_varies", "slept_for",
        kind="i8",
    )
    + _numbers(
        "used_ms", "burst_ms", "burst_left_ms", "residence_ms", "slice_left_ms",
        "to_compaction_ms", "to_recalculation_ms", "to_drum_set_ms",
        "reference_at_ms", "turn_at_ms", "line_at_ms", "line_ms", "command_ms", "printed_at_ms",
        "wake_at_ms", "asleep_since_ms", "interacted_ms", "received_ms", "started_ms",
        "on_drum_since_ms",
        "queued_ms", "locality", "line_think_ms", "typing_ms", "silent_share",
    ),
    align=True,
)  # fmt: skip

PAGE = np.dtype(
    _numbers(
        "place", "sector", "used", "touched", "drum_used", "written", "changed", "in_set",
        "preloaded", "in_drum_set", kind="i4",
    ),
    align=True,
)  # fmt: skip

SHARED = np.dtype(
    [
        ("place", "i8"),
        ("holders", "i8"),
        ("sector", "i8"),
        ("previous", "i8"),
        ("next", "i8"),
        ("idle", "i8"),
        ("idle_since_ms", "f8"),
    ],
    align=True,
)

CATEGORY = np.dtype(
    _numbers(
        "core_queue", "core_pages", "max_drum_pages", "min_drum_pages", "more_core", "more_cpu",
        "more_cpu_penalised",
        "less_core", "asleep", kind="i8",
    )
    + _numbers("cpu_ms", "compaction_ms"),
    align=True,
)  # fmt: skip

COMMAND = np.dtype(
    _numbers(
        "kind", "input_lines", "input_characters", "output_lines", "output_characters", "last",
        "own_pages", "think_varies", kind="i8",
    )
    + _numbers(
        "cpu_ms", "think_ms", "locality", "line_think_ms", "typing_ms", "silent_share",
    ),
    align=True,
)  # fmt: skip

COMPLETION = np.dtype(
    [("kind", "i8"), ("process", "i8"), ("received_ms", "f8"), ("ready_ms", "f8"),
     ("cpu_ms", "f8")],
    align=True,
)  # fmt: skip


SECTOR = np.dtype(
    [("free", "i8"), ("phase_ms", "f8")],
    align=True,
)

REQUEST = np.dtype(
    [("next", "i8"), ("process", "i8"), ("page", "i8"), ("purpose", "i8"), ("sector", "i8"),
     ("block", "i8")],
    align=True,
)  # fmt: skip

DRIVE = np.dtype(
    [
        ("state", "i8"),
        ("serving", "i8"),
        ("head", "i8"),
        ("tail", "i8"),
        ("cylinder", "i8"),
        ("phase_ms", "f8"),
        ("started_ms", "f8"),
        ("busy_ms", "f8"),
        ("operations", "i8"),
    ],
    align=True,
)

SERVICE = np.dtype([("calls", "i8"), ("time_ms", "f8")], align=True)

SAMPLED = (
    *(f"run_queue_{i}" for i in (1, 2, 3)),
    "active_storage_queue",
    *(f"core_queue_{i}" for i in range(1, CORE_QUEUES + 1)),
    "core_unallocated",
    "core_unused",
    "core_shared",
    "drum_unallocated",
    "drum_unused",
    "users",
)
SAMPLE = np.dtype([("time_ms", "f8"), *_numbers(*SAMPLED, kind="i8")], align=True)

SETTINGS = np.dtype(
    _numbers(
        "own_pages", "base_pages", "command_pages", "core_pages", "over_allocation_pages", "drums",
        "sectors_per_track", "drum_pages", "prepaging", "trace_mask", "log_on_category",
        "cold_category", "buffer_characters", "resume_characters", "wake_references",
        "background_pages", "padding_pages", "draws_an_event", "demand_rank", "disc_blocks",
        "ticks_a_sample", "preloads_at_once", "queue_sectors",
        kind="i8",
    )
    + _numbers(
        "slice_ms", "penalty_ms", "slot_ms", "drum_page_ms", "drum_set_up_ms",
        "shared_hold_ms", "drum_hold_ms", "recalculation_ms", "drum_set_ms", "fit_share",
        "demotion_share", "file_share",
        "consistency_ms",
        "background_ms", "reference_ms", "wake_reference_ms", "shared_reference_share",
        "write_share", "sampling_ms", "terminal_ms",
        "drum_transfer_ms", "disc_transfer_ms",
        "preload_page_ms", "marker_page_ms", "drum_loading_ms", "process_control_ms",
        "dispatch_ms", "svc_ms", "line_ms", "command_ms", "polling_ms", "magtape_ms",
        "miscellaneous_ms", "trace_record_ms", "clock_ms",
    ),
    align=True,
)  # fmt: skip

KERNEL = np.dtype(
    _numbers(
        "stop", "running", "running_queue", "goes_on", "leaving", "schedule", "drum_work",
        "suspended", "rows_ended",
        "uniforms_used", "free_request", "free_frames", "allocated_pages", "resident", "awake",
        "shared_in_core", "drum_free",
        "drum_serving", "channel_busy", "moving", "moving_pages", "loading", "preloading",
        "drum_full",
        "users", "ticks", "events", "traced", "trace_full", "sampled", "completed", "log_ons",
        "commands", "frame_shortages", "partial_preloads", "suspensions", "residences",
        "core_overruns", "cpu_overruns", "cold_wakes", "drum_operations", "compactions",
        kind="i8",
    )
    + _numbers(
        "now_ms", "burst_end_ms", "user_ms", "supervisor_ms",
        "drum_start_ms", "drum_busy_ms", "no_work_ms", "no_work_since_ms",
        "no_work_supervised_ms",
    ),
    align=True,
)  # fmt: skip
