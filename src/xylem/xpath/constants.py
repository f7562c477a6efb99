"""The value of an expression that asks nothing of any document.

This module knows nothing of nodes; what it cannot work out exactly as libxml2 does, it leaves.
"""

from __future__ import annotations

import math

from xylem.xpath.evaluate import normalize_space
from xylem.xpath.numbers import number_to_string, string_to_number
from xylem.xpath.syntax import Arithmetic, Call, Comparison, Expression, Literal, Negative, Number

Constant = bool | float | str

MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def constant(expression: Expression) -> Constant | None:
    """The value of an expression, or None when it has none without a document."""
    match expression:
        case Literal(value) | Number(value):
            return value
        case Negative(item):
            inner = constant(item)
            return None if inner is None else -to_number(inner)
        case Arithmetic(operator, left, right):
            return _arithmetic(operator, constant(left), constant(right))
        case Comparison(operator, left, right):
            first, second = constant(left), constant(right)
            return None if first is None or second is None else compare(operator, first, second)
        case Call(name, arguments):
            return _call(name, arguments)
        case _:
            return None


def to_number(value: Constant) -> float:
    return string_to_number(value) if isinstance(value, str) else float(value)


def to_boolean(value: Constant) -> bool:
    return bool(value) and value == value


def to_string(value: Constant) -> str | None:
    """None where implementations disagree about the digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_to_string(value)


def compare(operator: str, left: Constant, right: Constant) -> bool:
    """XPath's comparison of two values that are no node-sets."""
    if operator in ("=", "!="):
        if isinstance(left, bool) or isinstance(right, bool):
            equal = to_boolean(left) == to_boolean(right)
        elif isinstance(left, float) or isinstance(right, float):
            equal = to_number(left) == to_number(right)
        else:
            equal = left == right
        return equal == (operator == "=")
    return compare_numbers(operator, to_number(left), to_number(right))


def compare_numbers(operator: str, left: float, right: float) -> bool:
    match operator:
        case "=":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


def _arithmetic(operator: str, left: Constant | None, right: Constant | None) -> float | None:
    if left is None or right is None:
        return None
    a, b = to_number(left), to_number(right)
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "div":
            return _divided(a, b)
        case _:
            return math.nan if math.isinf(a) or b == 0 or a != a or b != b else math.fmod(a, b)


def _divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def _call(name: str, arguments: tuple[Expression, ...]) -> Constant | None:
    if name in ("true", "false"):
        return name == "true"
    values = [constant(argument) for argument in arguments]
    if not values or any(value is None for value in values):
        return None
    first = values[0]
    assert first is not None
    if name == "boolean" or name == "not":
        return to_boolean(first) == (name == "boolean")
    if name == "number":
        return to_number(first)
    if name in ("floor", "ceiling"):
        return _rounded(name, to_number(first))
    texts = [to_string(value) for value in values if value is not None]
    known = [text for text in texts if text is not None]
    return _of_strings(name, known) if len(known) == len(values) else None


def _rounded(name: str, value: float) -> float:
    if math.isinf(value) or math.isnan(value):
        return value
    return float(math.floor(value) if name == "floor" else math.ceil(value))


def _of_strings(name: str, texts: list[str]) -> Constant | None:
    text = texts[0]
    match name:
        case "string":
            return text
        case "concat":
            return "".join(texts)
        case "contains":
            return texts[1] in text
        case "starts-with":
            return text.startswith(texts[1])
        case "substring-before":
            return text.partition(texts[1])[0] if texts[1] and texts[1] in text else ""
        case "substring-after":
            return text.partition(texts[1])[2] if texts[1] else text
        case "string-length":
            return float(len(text))
        case "normalize-space":
            return normalize_space(text)
        case _:
            return None
