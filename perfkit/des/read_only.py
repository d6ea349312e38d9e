"""What a policy is handed: the machine's own arrays and records, to read and not to write.

Numba has read-only arrays; the records in them can be written nonetheless. Here is a record that
can't. Compiled, a policy that writes is refused when it is made; in plain Python NumPy refuses it.
"""

from numba import types
from numba.core.datamodel import models, register_default
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed, lower_setattr_generic
from numba.extending import lower_builtin, type_callable

WRITES = "it writes to what it is given, and a policy may only read"


class ReadOnlyRecord(types.Record):
    """The Numba type of a record whose fields can't be set."""


register_default(ReadOnlyRecord)(models.RecordModel)


def read_only_type(array):
    """Return the Numba type of an array, and of the records in it, that can't be written."""
    record = array.dtype
    if isinstance(record, types.Record):
        record = ReadOnlyRecord(map(_titled, record.fields.items()), record.size, record.aligned)
    return array.copy(dtype=record, readonly=True)


def _titled(field):
    """Return a field with a title, which keeps Numba from converting the record to its like."""
    name, what = field
    return name, what._replace(title=f"{name}, to read")._asdict()


def read_only(array):
    """Return an array as a policy may have it: the same memory, which can't be written."""
    view = array.view()
    view.flags.writeable = False
    return view


@type_callable(read_only)
def _type_read_only(context):
    return lambda array: read_only_type(array)


@lower_builtin(read_only, types.Array)
def _lower_read_only(context, builder, signature, arguments):
    return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])


@lower_setattr_generic(ReadOnlyRecord)
@lower_builtin("static_setitem", ReadOnlyRecord, types.StringLiteral, types.Any)
@lower_builtin("static_setitem", ReadOnlyRecord, types.IntegerLiteral, types.Any)
def _refuse_to_write(*_):
    raise TypingError(WRITES)
