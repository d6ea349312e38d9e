"""Parameter records as JavaScript: what a page refuses and derives is what Python does.

The code of a record's methods and properties, of its levers, and of the functions that they call is
read and written anew, expression by expression. The few forms that occur are known; any other one
is refused when pages are built. ``python.mjs`` has Python's own functions.
"""

import ast
import inspect
import json
import re
import textwrap

from perfkit.des.devices import seek_table

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
CALLED = {ast.FloorDiv: "floordiv", ast.Mod: "modulo"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
# What python.mjs has, by the same name; a seek curve is the machine's to refuse.
OWN = {
    "abs", "all", "any", "bool", "float", "int", "isfinite", "len", "list", "max", "min", "range",
    "round", "set", "sorted", "sum", "tuple", "zip",
}  # fmt: skip
MACHINE = {seek_table}


class Unknown(Exception):
    """A form of Python that no page has needed yet."""


def members(cls):
    """Return a record's own methods and properties, by name each its function."""
    found = {}
    for name, member in vars(cls).items():
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and not name.startswith("__"):
            found[name] = function
    return found


class Script(ast.NodeVisitor):
    """Writes functions as JavaScript; ``functions`` holds those that they call, by name."""

    def __init__(self):
        self.functions = {}

    def function(self, function, name=""):
        """Return a function as JavaScript."""
        self.globals = function.__globals__
        tree = _tree(function)
        self.names = {one.arg for one in tree.args.args}
        arguments = ", ".join(one.arg for one in tree.args.args)
        if isinstance(tree, ast.Lambda):
            body = f"return {self.visit(tree.body)};"
        else:
            stored = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
            own = {n.id for n in stored if isinstance(n.ctx, ast.Store)} - self.names
            self.names |= own
            body = "".join(f"let {n};" for n in sorted(own)) + self.block(tree.body)
        return f"function {name}({arguments}) {{{body}}}"

    def block(self, statements):
        return "".join(map(self.visit, statements))

    def truth(self, node):
        """Return an expression as a condition: empty lists aren't true."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + sign.join(map(self.truth, node.values)) + ")"
        if isinstance(node, ast.Compare):
            return self.visit(node)
        return f"truth({self.visit(node)})"

    def generic_visit(self, node):
        raise Unknown(f"A page knows no {type(node).__name__}: {ast.unparse(node)}")

    def visit_Expr(self, node):
        return "" if isinstance(node.value, ast.Constant) else self.visit(node.value) + ";"

    def visit_Assign(self, node):
        (target,) = node.targets
        return f"{self.visit(target)} = {self.visit(node.value)};"

    def visit_If(self, node):
        other = f" else {{{self.block(node.orelse)}}}" if node.orelse else ""
        return f"if ({self.truth(node.test)}) {{{self.block(node.body)}}}{other}"

    def visit_For(self, node):
        each = f"{self.visit(node.target)} of {self.visit(node.iter)}"
        return f"for ({each}) {{{self.block(node.body)}}}"

    def visit_Return(self, node):
        return f"return {self.visit(node.value)};"

    def visit_Raise(self, node):
        return f"throw new Refusal({self.visit(node.exc.args[0])});"

    def visit_Constant(self, node):
        return json.dumps(node.value)

    def visit_Name(self, node):
        if node.id in self.names or node.id in OWN:
            return node.id
        return self.constant(self.globals[node.id])

    def constant(self, value):
        if isinstance(value, re.Pattern):
            return f"pattern({json.dumps(value.pattern)})"
        return json.dumps(list(value) if isinstance(value, (tuple, dict)) else value)

    def visit_Attribute(self, node):
        if self._is_module(node.value):
            return self.constant(getattr(self.globals[node.value.id], node.attr))
        return f"{self.visit(node.value)}.{node.attr}"

    def _is_module(self, node):
        return isinstance(node, ast.Name) and inspect.ismodule(self.globals.get(node.id))

    def visit_Subscript(self, node):
        value = self.visit(node.value)
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower or ast.Constant(0)), node.slice.upper
            return f"{value}.slice({', '.join(self.visit(end) for end in ends if end)})"
        return f"item({value}, {self.visit(node.slice)})"

    def visit_Tuple(self, node):
        return f"[{', '.join(map(self.visit, node.elts))}]"

    visit_List = visit_Tuple

    def visit_Starred(self, node):
        return f"...{self.visit(node.value)}"

    def visit_Dict(self, node):
        keys = ["..." if key is None else f"[{self.visit(key)}]: " for key in node.keys]
        pairs = [key + self.visit(value) for key, value in zip(keys, node.values, strict=True)]
        return f"({{{', '.join(pairs)}}})"

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return f"!{self.truth(node.operand)}"
        return f"(-{self.visit(node.operand)})"

    def visit_BinOp(self, node):
        left, right, kind = self.visit(node.left), self.visit(node.right), type(node.op)
        if kind is ast.Mult and isinstance(node.left, ast.Tuple):
            return f"repeated({left}, {right})"
        if kind in CALLED:
            return f"{CALLED[kind]}({left}, {right})"
        return f"({left} {OPERATORS[kind]} {right})"

    def visit_Compare(self, node):
        sides, parts = [node.left, *node.comparators], []
        for place, kind in enumerate(map(type, node.ops)):
            left, right = map(self.visit, sides[place : place + 2])
            if kind in (ast.Eq, ast.NotEq):
                parts.append(f"{'!' * (kind is ast.NotEq)}same({left}, {right})")
            else:
                parts.append(f"{left} {COMPARED[kind]} {right}")
        return f"({' && '.join(parts)})"

    def visit_IfExp(self, node):
        return f"({self.truth(node.test)} ? {self.visit(node.body)} : {self.visit(node.orelse)})"

    def visit_GeneratorExp(self, node):
        return self._each(node, lambda: self.visit(node.elt))

    visit_ListComp = visit_GeneratorExp

    def visit_DictComp(self, node):
        pair = ast.Tuple([node.key, node.value])
        return f"Object.fromEntries({self._each(node, lambda: self.visit(pair))})"

    def _each(self, node, value):
        (part,) = node.generators
        source, outer = self.visit(part.iter), self.names
        self.names = outer | {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        target = self.visit(part.target)
        kept = "".join(f".filter(({target}) => {self.truth(test)})" for test in part.ifs)
        text = f"list({source}){kept}.map(({target}) => ({value()}))"
        self.names = outer
        return text

    def visit_JoinedStr(self, node):
        return "(" + " + ".join(['""', *map(self.visit, node.values)]) + ")"

    def visit_FormattedValue(self, node):
        spec = node.format_spec.values[0].value if node.format_spec else ""
        spec = "!r" if node.conversion == ord("r") else spec
        return f"formatted({self.visit(node.value)}, {json.dumps(spec)})"

    def visit_Call(self, node):
        arguments = [*map(self.visit, node.args)]
        if node.keywords:
            named = [f"{one.arg}: {self.visit(one.value)}" for one in node.keywords]
            arguments.append(f"{{{', '.join(named)}}}")
        told = ", ".join(arguments)
        if isinstance(node.func, ast.Attribute):
            if self._is_module(node.func.value) and node.func.attr in OWN:
                return f"{node.func.attr}({told})"
            return f"{self.visit(node.func)}({told})"
        name = node.func.id
        if name == "getattr":
            return f"{arguments[0]}[{arguments[1]}]"
        if name == "map":
            return f"list({arguments[1]}).map((one) => {arguments[0]}(one))"
        if name in OWN:
            return f"{name}({told})"
        called = self.globals[name]
        if called in MACHINE:
            return "[]"
        if name not in self.functions:
            outer = self.globals, self.names
            self.functions[name] = self.function(called, name)
            self.globals, self.names = outer
        return f"{name}({told})"


def _tree(function):
    """Return a function's tree, a lambda's out of the statement that it stands in."""
    if function.__name__ != "<lambda>":
        return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    module = ast.parse(inspect.getsource(inspect.getmodule(function)))
    line = function.__code__.co_firstlineno
    (found,) = (n for n in ast.walk(module) if isinstance(n, ast.Lambda) and n.lineno == line)
    return found
