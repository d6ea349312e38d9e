"""Compile a run of each system for WebAssembly: ``python -m tools.wasm.build FOLDER [KEY ...]``.

Numba lowers the same functions as on any processor, into LLVM's intermediate code that nothing has
optimised yet. What only Python needs is cut out of its text, LLVM compiles it for WebAssembly, and
its linker, which the package ziglang brings, makes a module of it. A module asks whoever loads it
for memory only, of arrays and of lists.
"""

import fcntl
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from perfkit.core.sources import source_hash
from perfkit.systems import SYSTEMS

TRIPLE = "wasm32-unknown-unknown"
LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
FEATURES = "+bulk-memory,+simd128,+nontrapping-fptoint,+sign-ext,+mutable-globals"
OF_PYTHON = re.compile(r"define .*@\"?(_ZN7cpython|cfunc)")
COUNTING = re.compile(r"define .*@(NRT_incref|NRT_decref)\b")
LINKAGE = re.compile(r"define (linkonce_odr |internal |private |weak_odr )?")
IMPORTED = {"NRT_MemInfo_alloc_aligned", "NRT_MemInfo_new_varsize_dtor"}
# WebAssembly has no product of 128 bits, which PCG64 needs: for one LLVM calls this.
PRODUCT = """
define internal void @product(ptr %to, i64 %a, i64 %b) alwaysinline {
  %a0 = and i64 %a, 4294967295
  %a1 = lshr i64 %a, 32
  %b0 = and i64 %b, 4294967295
  %b1 = lshr i64 %b, 32
  %p00 = mul i64 %a0, %b0
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %p11 = mul i64 %a1, %b1
  %carry = lshr i64 %p00, 32
  %middle = add i64 %p01, %carry
  %middle0 = and i64 %middle, 4294967295
  %middle1 = lshr i64 %middle, 32
  %sum = add i64 %p10, %middle0
  %sum1 = lshr i64 %sum, 32
  %low1 = shl i64 %sum, 32
  %low0 = and i64 %p00, 4294967295
  %low = or i64 %low1, %low0
  %above = add i64 %p11, %middle1
  %high = add i64 %above, %sum1
  store i64 %low, ptr %to
  %to1 = getelementptr i8, ptr %to, i32 8
  store i64 %high, ptr %to1
  ret void
}
define void @__multi3(ptr %to, i64 %a0, i64 %a1, i64 %b0, i64 %b1) noinline {
  call void @product(ptr %to, i64 %a0, i64 %b0)
  %p01 = mul i64 %a0, %b1
  %p10 = mul i64 %a1, %b0
  %to1 = getelementptr i8, ptr %to, i32 8
  %high = load i64, ptr %to1
  %more = add i64 %high, %p01
  %all = add i64 %more, %p10
  store i64 %all, ptr %to1
  ret void
}
"""


def lowered(key):
    """Return LLVM's code of a run of a system, as Numba lowers it, and the name of its entry."""
    from numba import njit, typeof

    from perfkit.des.compiling import whole_options
    from perfkit.systems import find
    from tools.wasm import whole

    given = whole.arguments(key, find(key).module().Parameters(), 0)
    run = njit(nogil=True, no_cfunc_wrapper=True, **whole_options())(whole.RUNS[key])
    run.compile(tuple(map(typeof, given)))
    (form,) = run.overloads.values()
    return form.library.get_llvm_str(), form.fndesc.llvm_func_name


def unoptimised():
    """Let Numba optimise nothing: it would fix where fields are, for a processor of 64 bits."""
    from numba.core.codegen import JITCodeLibrary

    from perfkit.des import parts

    JITCodeLibrary._optimize_functions = lambda *_: None
    JITCodeLibrary._optimize_final_module = lambda *_: None
    parts.WholeLibrary._optimize_final_module = lambda *_: None


def retargeted(code, entry):
    """Return code for WebAssembly, without what only Python calls; references aren't counted."""
    lines, skipped = [], False
    for line in code.splitlines():
        counting = COUNTING.match(line)
        if skipped or OF_PYTHON.match(line) or counting:
            skipped = line != "}"
            if counting:
                lines.append(f"define internal void @{counting[1]}(ptr %counted) {{ ret void }}")
            continue
        if line.startswith("define"):
            own = f"@{entry}(" in line
            line = LINKAGE.sub("define " if own else "define internal ", line, count=1)
            line = line.replace(f"@{entry}(", "@run(")
        elif line.startswith("target triple"):
            line = f'target triple = "{TRIPLE}"'
        elif line.startswith("target datalayout"):
            line = f'target datalayout = "{LAYOUT}"'
        elif line.startswith("@numba.dynamic.globals"):
            line = line.split("=")[0] + "= internal global ptr null"
        line = re.sub(r"^(@.*) common ", r"\1 internal ", line)
        lines.append(re.sub(r"@(sqrt|ceil)\(", r"@llvm.\1.f64(", line))
    return "\n".join([*lines, PRODUCT])


def compiled(code):
    """Return code for WebAssembly as an object file."""
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    module = binding.parse_assembly(code)
    module.verify()
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static"
    )
    tuning = binding.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_unrolling = False  # a tenth of the size for as fast a run
    builder = binding.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    if "i128" in str(module.get_function("__multi3")):
        raise ValueError("LLVM made a product of 128 bits of what was to stand in for one.")
    asked = {f.name for f in module.functions if f.is_declaration and "llvm." not in f.name}
    if asked - IMPORTED:
        raise ValueError(f"A module may ask for {IMPORTED} only; it asks for {asked}.")
    return machine.emit_object(module)


def build(key, folder):
    """Write a system's module into a folder; return its path."""
    path, part = Path(folder) / f"{key}.wasm", Path(folder) / f"{key}.o"
    unoptimised()
    part.write_bytes(compiled(retargeted(*lowered(key))))
    imports = part.with_suffix(".imports")
    imports.write_text("\n".join(IMPORTED))
    link = "-m ziglang wasm-ld --no-entry --export=run --export=__heap_base --strip-all"
    allowed = f"--allow-undefined-file={imports}"  # LLVM may ask for more, such as fmod, late
    subprocess.run([sys.executable, *link.split(), allowed, "-o", path, part], check=True)
    part.unlink(), imports.unlink()
    return path


def build_apart(key, folder):
    """Write a system's module from a process of its own: Numba's numbers of types begin anew."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    own |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    with tempfile.TemporaryDirectory(prefix="perfkit-") as cache:
        asked = [sys.executable, "-W", "ignore", "-m", "tools.wasm.build", folder, "--only", key]
        subprocess.run(asked, env=own | {"NUMBA_CACHE_DIR": cache}, check=True)


def main(folder, *keys):
    """Write modules into a folder, those of all systems if none is named, once for any sources."""
    if keys[:1] == ("--only",):
        path = build(keys[1], folder)
        print(f"{path}: {path.stat().st_size:,} bytes")
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    made_of = f"{source_hash()} {source_hash(Path(__file__).parent)}"
    with (Path(folder) / "stamp").open("a+") as stamp:
        fcntl.flock(stamp, fcntl.LOCK_EX)  # the site and its tests may both ask for the modules
        stamp.seek(0)
        if not keys and stamp.read() == made_of:
            return
        stamp.truncate(0)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(build_apart, keys or SYSTEMS, itertools.repeat(str(folder))))
        stamp.write("" if keys else made_of)


if __name__ == "__main__":
    main(*sys.argv[1:])
