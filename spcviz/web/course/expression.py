"""Expressions of tasks' checks: a tiny language of conditions on a page's numbers, parsed and evaluated.

======================= ================================================================
expression              meaning
======================= ================================================================
``left_1``              a value of the page, by its name
``10``, ``0.5``, ``'NN'`` a number, a text
``None True False``     nothing, yes, no
``('a', 'b')``          several of them, for ``in``
``== != < <= > >=``     comparisons, also chained; ``is None``, ``is not None``, ``in``, ``not in``
``and or not + -``      as in arithmetic and logic
``len sum min round``   the only four functions
======================= ================================================================

Everything else (attributes, indices, products, powers, other calls, comprehensions) is refused when the text
is read. Comparing values without an order, None and a number, is False rather than an error: as long as the
page has no value yet, the task is not solved.
"""

import ast
from collections.abc import Callable, Mapping
from functools import cache

from spcviz.engine.errors import SpcvizError

LONGEST = 400
"""Characters of a check."""
MOST_NODES = 120
_FUNCTIONS: dict[str, Callable] = {"len": len, "sum": sum, "min": min, "round": round}
_MOST_ARGUMENTS = {"len": 1, "sum": 1, "min": 8, "round": 2}
_COMPARE: dict[type, Callable] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
}


class ExpressionError(SpcvizError, ValueError):
    """An invalid check; the message quotes the part that is not allowed."""


class UnknownNameError(SpcvizError, KeyError):
    """A check names a value that the page does not offer."""

    def __str__(self):
        return str(self.args[0])


def is_true(check: str, values: Mapping) -> bool:
    """Whether a check holds for a page's values.

    Raises
    ------
    ExpressionError
        if the text is not of the language
    UnknownNameError
        if it names a value that is not among `values`

    >>> is_true("left < 10 and alive", {"left": 8, "alive": True})
    True
    >>> is_true("a1 is not None and a1 > 0.2", {"a1": None})
    False
    >>> is_true("().__class__", {})
    Traceback (most recent call last):
    ...
    spcviz.web.course.expression.ExpressionError: a check cannot say '().__class__'
    """
    return bool(_value(parse(check), values))


def names(check: str) -> tuple[str, ...]:
    """The values that a check names, each once, in order.

    >>> names("left < 10 and min(falls) == left")
    ('left', 'falls')
    """
    nodes = (node for node in ast.walk(parse(check)) if isinstance(node, ast.Name))
    found = sorted(nodes, key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in found if node.id not in _FUNCTIONS))


@cache
def parse(check: str) -> ast.expr:
    """Parse a check into a tree with allowed nodes only; raises the errors of `is_true`."""
    if len(check) > LONGEST:
        raise ExpressionError(f"a check has at most {LONGEST} characters, got {len(check):,}")
    try:
        tree = ast.parse(check.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"a check must be one expression, got {check[:60]!r}") from None
    nodes = list(ast.walk(tree))
    if len(nodes) > MOST_NODES:
        raise ExpressionError(f"a check has at most {MOST_NODES} parts, got {len(nodes)}")
    _allow(tree)
    return tree


def _allow(node):
    """Refuse a node outside the language, at any depth."""
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None):
            return
        case ast.Name(id=name) if not name.startswith("_") and name not in _FUNCTIONS:
            return
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=one):
            parts = [one]
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            parts = [left, right]
        case ast.Compare(left=left, comparators=others, ops=ops) if _are_comparable(ops, others):
            parts = [left, *others]
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if (
            1 <= len(parts) <= _MOST_ARGUMENTS.get(name, 0)
        ):
            pass
        case _:
            raise ExpressionError(f"a check cannot say {ast.unparse(node)[:60]!r}")
    for part in parts:
        _allow(part)


def _are_comparable(ops, others):
    """Whether `is` is used with None only: for other values it would not mean what was intended."""
    pairs = zip(ops, others, strict=True)
    return all(
        not isinstance(op, ast.Is | ast.IsNot) or (isinstance(o, ast.Constant) and o.value is None)
        for op, o in pairs
    )


def _value(node, values):
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            if name not in values:
                raise UnknownNameError(f"the page offers no value {name!r}")
            return values[name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [_value(part, values) for part in parts]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, values) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, values) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=one):
            return not _value(one, values)
        case ast.UnaryOp(operand=one):
            return _call(lambda x: -x, _value(one, values))
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _call(lambda x, y: x + y, _value(left, values), _value(right, values))
        case ast.BinOp(left=left, right=right):
            return _call(lambda x, y: x - y, _value(left, values), _value(right, values))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _compare(_value(left, values), ops, (_value(other, values) for other in others))
        case ast.Call(func=ast.Name(id=name), args=parts):
            return _call(_FUNCTIONS[name], *(_value(part, values) for part in parts))
    raise ExpressionError(f"a check cannot say {ast.unparse(node)[:60]!r}")


def _call(function, *arguments):
    """Call a function; None if an argument does not suit it: the page has no value yet."""
    try:
        return function(*arguments)
    except (TypeError, ValueError):
        return None


def _compare(left, ops, others):
    for op, other in zip(ops, others, strict=True):
        try:
            if not _COMPARE[type(op)](left, other):
                return False
        except TypeError:
            return False
        left = other
    return True
