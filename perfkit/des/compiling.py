"""How kernels are compiled, and how a reader's policy gets in."""

import contextlib
import functools
import inspect

import numba
import numpy as np
from numba import types
from numba.core import ir

from perfkit.core.wording import sentence, with_article
from perfkit.des.caching import cache_folder, keep, shipped_folder
from perfkit.des.parts import part_options, whole_options
from perfkit.des.refusals import reason

COMPILED = not numba.config.DISABLE_JIT
LAID_OUT = 0x1 | 0x2 | 0x100 | 0x400  # NumPy's flags: contiguous either way, aligned, writeable


def is_compiled(system):
    """Return whether the loop of a system ("unix_v6") was compiled before, from these sources."""
    kept = cache_folder().glob(f"{system}_*/run.run-*.nbi")
    return not COMPILED or any(kept) or any(shipped_folder().glob(f"{system}/run.run-*.nbi"))


def look(value):
    """Return all that Numba's type of a machine depends on, to be compared.

    Numba finds the type of a machine of many records anew at every call, in milliseconds: as
    long as a short run takes.
    """
    if isinstance(value, tuple):
        return (type(value), *map(look, value))
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.dtype, value.ndim, value.flags.num & LAID_OUT)
    return (type(value), getattr(value, "dtype", None))


_OPTIONS = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}


def kernel(function):
    """Compile a function for the simulators: cached, free of the GIL, strict arithmetic.

    Kernels count no references (they make no arrays): that alone is worth a factor of
    six. They must not call each other in a circle, which Numba's cache can't restore. They
    are not made callable from C, which saves a second of compiling.
    """
    compiled = numba.njit(**_OPTIONS, **whole_options())(function)
    return keep(compiled) if COMPILED else compiled


def assembly(function):
    """Compile a function that makes a machine's arrays, kept as kernels are.

    It counts references, and returns no records: Numba can't return them. They are handed over.
    """
    compiled = numba.njit(nogil=True, no_cfunc_wrapper=True, **whole_options())(function)
    return keep(compiled) if COMPILED else compiled


def event_loop(function, *arguments):
    """Compile a simulator's event loop for the types of its machine and policies, and keep it."""
    compiled = keep(numba.njit(nogil=True, **whole_options())(function))
    compiled.compile(arguments)
    compiled.disable_compile()
    return compiled


def handler(function, **more):
    """Compile a part of an event loop, which only kernels can call.

    Without an entry from Python, which would unpack a whole machine, and without machine
    code of its own (see ``parts``) it compiles much sooner; it is kept with the kernels that
    it is linked into. ``.py_func`` is the plain function.
    """
    part = part_options()
    compiled = numba.njit(**_OPTIONS, no_cpython_wrapper=True, **more, **part)(function)
    if COMPILED:
        if not part:
            keep(compiled)
        # Numba would insert the part's address, and a part has no machine code.
        compiled._insert = lambda *_, **__: None
        compiled._compile_for_args = functools.partial(_refuse_call, function.__name__)
    return compiled


def inlined(function):
    """Compile a small or once-called handler into its callers.

    LLVM does not inline handlers that take a whole machine by itself, and passing one
    costs more than most handlers do.
    """
    return handler(function, forceinline=True)


def _refuse_call(name, *_, **__):
    raise TypeError(f"{name} is compiled into kernels only; from Python call {name}.py_func.")


NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
IN_ORDER = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _called(name):
    """Return what messages call a policy: 'an entrance policy'."""
    return with_article(f"{name.replace('_', ' ')} policy")


class PolicyKind:
    """A kind of policy that a reader may replace by a function of their own.

    The kernel that calls the policy is compiled once for the kind's signature, so
    a new policy costs its own compilation only. The kind's own docstring tells what the
    function is given and must return: it is that of ``rule``, the simulator's own. ``name`` is what
    the policy decides, for messages: "victim".
    """

    def __init__(self, name, signature, rule):
        self.name = name
        self.signature = signature
        self.rule = getattr(rule, "py_func", rule)
        self.arguments = f"({', '.join(inspect.signature(self.rule).parameters)})"
        self.__doc__ = (
            f"Decorator: make {_called(name)} of a plain function of {self.arguments}.\n\n"
            f"In place of the simulator's own rule:\n\n{inspect.getdoc(self.rule)}"
        )

    def own(self):
        """Return the simulator's own rule as a policy of this kind, kept as kernels are."""
        if not COMPILED:
            return self._marked(self.rule)
        # Kept by a signature that says what is returned: a kernel of the same rule has none such.
        compiled = keep(numba.njit(nogil=True, boundscheck=True, **whole_options())(self.rule))
        compiled.compile(self.signature)
        compiled.disable_compile()
        return self._marked(compiled)

    @property
    def type(self):
        """The Numba type that a kernel's explicit signature names for this policy."""
        return types.FunctionType(self.signature)

    def __call__(self, function):
        """Compile a plain function of the kind's arguments as a policy; usable as a decorator."""
        self._check_function(function)
        if not COMPILED:
            return self._marked(function)
        try:
            # Not kept: a reader's function may stand in no file, and call others that change.
            compiled = numba.njit(self.signature, nogil=True, boundscheck=True)(function)
        except Exception as error:
            raise TypeError(
                f"'{function.__name__}' can't be compiled as {_called(self.name)}:"
                f" {reason(error, self.signature)}"
            ) from None
        self._check_returned(function.__name__, compiled)
        return self._marked(compiled)

    def _marked(self, policy):
        """Let a policy say which kind it is of, and of which system: ``perfkit.systems.<it>``."""
        policy.policy_kind = self.name
        policy.policy_system = [*self.rule.__module__.split("."), "", ""][2]
        return policy

    def _check_function(self, function):
        """Refuse what is no plain function of as many arguments, in order."""
        plain = inspect.isfunction(function) and not function.__code__.co_flags & NOT_PLAIN
        if not plain:
            raise TypeError(
                f"{sentence(_called(self.name))} is made from a plain Python function of"
                f" {self.arguments}; {function!r} is none."
            )
        signature = inspect.signature(function)
        kinds = [parameter.kind for parameter in signature.parameters.values()]
        wanted, taken = len(self.signature.args), sum(kind in IN_ORDER for kind in kinds)
        if len(kinds) != wanted or taken != wanted:
            raise TypeError(
                f"{sentence(_called(self.name))} takes {wanted} argument{'s'[: wanted > 1]},"
                f" {self.arguments}; '{function.__name__}' takes {taken}: {signature}."
            )

    def _check_returned(self, name, compiled):
        """Refuse a fraction in place of a whole number: Numba would cut it off."""
        wanted = self.signature.return_type
        fractions = [kind for kind in _returned(compiled) if isinstance(kind, types.Float)]
        if isinstance(wanted, types.Integer) and fractions:
            raise TypeError(
                f"{sentence(_called(self.name))} returns {with_article(str(wanted))};"
                f" '{name}' returns {with_article(str(fractions[0]))}."
            )

    def check(self, policy):
        """Return ``policy`` if it was made by this kind."""
        kind = getattr(policy, "policy_kind", None)
        if kind != self.name:
            given = _called(kind) if kind else "not a policy"
            raise TypeError(
                f"Expected {_called(self.name)}, a function of {self.arguments} under the"
                f" decorator @{self.name}_policy;"
                f" {getattr(policy, '__name__', policy)!r} is {given}."
            )
        return policy


def _returned(compiled):
    """Return the types of all that the one compiled form of a function returns."""
    (form,) = compiled.overloads.values()
    steps = [step for block in form.type_annotation.blocks.values() for step in block.body]
    values = [step.value for step in steps if isinstance(step, ir.Assign)]
    casts = [v for v in values if isinstance(v, ir.Expr) and v.op == "cast"]
    return [form.type_annotation.typemap[cast.value.name] for cast in casts]


@contextlib.contextmanager
def failures_named(*policies, arguments=None):
    """Say in a sentence which of the reader's policies failed, if the run ends in an exception.

    A policy is None for the simulator's own rule; if all are, an exception stays as it is, else it
    becomes a RuntimeError. ``arguments()`` returns what the only policy was asked with: compiled
    code does not tell which index was out of bounds, plain Python does.
    """
    try:
        yield
    except Exception as error:
        given = [policy for policy in policies if policy is not None]
        if not given:
            raise
        names = [f"the {p.policy_kind.replace('_', ' ')} policy '{p.__name__}'" for p in given]
        if COMPILED and arguments and isinstance(error, IndexError):
            error = _as_in_python(error, given[0].py_func, arguments)
        text = f": {error}" if str(error) else ""
        raise RuntimeError(
            f"{sentence(' or '.join(names))} failed with {type(error).__name__}{text.rstrip('.')}."
        ) from None


def _as_in_python(error, policy, arguments):
    """Return the IndexError that a plain policy raises, or that of the compiled one."""
    try:
        policy(*arguments())
    except Exception as plain:
        return plain if isinstance(plain, IndexError) else error
    return error
