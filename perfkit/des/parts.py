"""How parts of an event loop are compiled: once, as intermediate code within the kernel.

Numba gives every function that it compiles a library of its own, links into it all that the
function calls, optimises the whole and turns it into machine code. A part that only kernels
call needs none of that: whatever it is linked into is optimised again. In a deep tree of calls
the same leaf was optimised and translated once for each of its ancestors, which was half of
the time to compile a simulator. Here a part stays the code that it was lowered to; the kernel
that reaches it links every part once and optimises once.

This stands on private classes of Numba. ``part_options`` offers it for the series that it was
tested with and nothing otherwise: parts are then compiled as Numba would, only more slowly.
"""

import numba

TESTED_SERIES = "0.68."

try:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_machinery import register_pass
    from numba.core.funcdesc import default_mangler
    from numba.core.typed_passes import NativeLowering
except ImportError:
    AVAILABLE = False
else:
    AVAILABLE = numba.__version__.startswith(TESTED_SERIES)


def part_options():
    """Return the options with which ``njit`` leaves a part to its kernels, if it can."""
    return {"cache": False, "pipeline_class": PartCompiler} if AVAILABLE else {}


def whole_options():
    """Return the options with which ``njit`` optimises a kernel and its parts as one, if it can."""
    return {"pipeline_class": WholeCompiler} if AVAILABLE else {}


if AVAILABLE:

    class PartLibrary(JITCodeLibrary):
        """The intermediate code of a part; what it calls is linked where a kernel uses it."""

        def finalize(self):
            """Do nothing: a part is not optimised and not translated for itself."""
            self._finalized = True

        def _reached(self):
            """Return the libraries of all that the part calls, itself first, each once."""
            reached, seen = [self], {self}
            for library in reached:
                if isinstance(library, PartLibrary):
                    fresh = [called for called in library._linking_libraries if called not in seen]
                    seen.update(fresh)
                    reached += dict.fromkeys(fresh)  # no set: the order of linking moves the code
            return reached

        def _own_module(self):
            """Return the part's own code, which may be linked into several kernels."""
            module = self._final_module.clone()
            for function in module.functions:
                if not function.is_declaration and function.linkage.name == "external":
                    function.linkage = "linkonce_odr"
            return module

        def _get_module_for_linking(self):
            if self._shared_module is None:
                module = self._own_module()
                for library in self._reached()[1:]:
                    part = isinstance(library, PartLibrary)
                    more = library._own_module() if part else library._get_module_for_linking()
                    module.link_in(more, preserve=not part)
                self._shared_module = module
            return self._shared_module

    def _short_name(name, types, *, abi_tags=(), uid=None):
        """Name a part by its number alone: a machine's type takes 16,000 letters, at every call."""
        return default_mangler(name, (), abi_tags=abi_tags, uid=uid)

    @register_pass(mutates_CFG=True, analysis_only=False)
    class PartLowering(NativeLowering):
        """Lower a part into a library that is not finalized."""

        _name = "part_lowering"

        def run_pass(self, state):
            """Lower, and register the code under an entry that nobody can call."""
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            state.targetctx.mangler = _short_name
            try:
                super().run_pass(state)
            finally:
                del state.targetctx.mangler
            lowered = state["cr"]
            entry = object()
            state.targetctx.insert_user_function(entry, lowered.fndesc, [state.library])
            state["cr"] = lowered._replace(cfunc=entry)
            return True

    class WholeLibrary(JITCodeLibrary):
        """A kernel with its parts, which nobody else calls: only the arguments used are passed.

        It is optimised once; Numba does it twice for the sake of references that it counts.
        """

        def _optimize_final_module(self):
            for function in self._final_module.functions:
                if function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
                    # LLVM's loader lets the code of one kernel call what another one names alike.
                    # Numba numbers functions and record types anew in each process, so kernels
                    # kept by two processes may have one name for what takes other arguments.
                    function.name = f"{self.name}.{function.name}"
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)

    @register_pass(mutates_CFG=True, analysis_only=False)
    class WholeLowering(NativeLowering):
        """Lower into a library whose functions are its own."""

        _name = "whole_lowering"

        def run_pass(self, state):
            """Lower."""
            state.library = WholeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return super().run_pass(state)

    def _compiler(lowering):
        """Return Numba's compiler with another pass that lowers."""

        class Lowered(Compiler):
            def define_pipelines(self):
                passes = super().define_pipelines()
                for manager in passes:
                    manager.passes = [
                        (lowering, text) if step is NativeLowering else (step, text)
                        for step, text in manager.passes
                    ]
                    manager.finalize()
                return passes

        return Lowered

    PartCompiler, WholeCompiler = _compiler(PartLowering), _compiler(WholeLowering)
