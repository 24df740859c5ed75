"""Reading a recorded Python script with the language's own parser; nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gui_agent.core.errors import ConfigError
from gui_agent.procedures.importers.script import Chain, Pattern, ScriptCall, ScriptExpression, Statement


def read_python(text: str, source: str) -> list[Statement]:
    """The statements of a script in order, also those inside functions and with-blocks.

    Raises:
        ConfigError: it is not Python; names the line.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ConfigError(f"{source} line {error.lineno}: not a Python script: {error.msg}") from error
    except (ValueError, MemoryError) as error:
        raise ConfigError(f"{source}: not a Python script: {error or 'nested too deeply'}") from error
    return list(_statements(tree.body, text))


def _statements(body: list[ast.stmt], text: str) -> Iterator[Statement]:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Return(value=None):
                continue
            case ast.Expr(value=ast.Constant()):
                continue  # a docstring
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _statements(node.body, text)
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
                    yield _statement(node, item.context_expr, text, name)
                yield from _statements(node.body, text)
            case ast.Expr():
                yield _statement(node, node.value, text)
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield _statement(node, node.value, text, name)
            case ast.If() if "__name__" in ast.unparse(node.test):
                yield from _statements(node.body, text)
            case _:
                yield Statement(node.lineno, ast.unparse(node).splitlines()[0])


def _statement(node: ast.stmt, value: ast.expr, text: str, gives: str = "") -> Statement:
    chain = _chain(value)
    return Statement(value.lineno, ast.get_source_segment(text, value) or ast.unparse(node), chain, gives)


def _chain(node: ast.expr) -> Chain | None:
    calls: list[ScriptCall] = []
    while True:
        match node:
            case ast.Await(value):
                node = value
            case ast.Call(ast.Attribute(inner, name), args, keywords):
                options = {item.arg: _literal(item.value) for item in keywords if item.arg}
                calls.append(ScriptCall(name, tuple(_literal(arg) for arg in args), options))
                node = inner
            case ast.Attribute(inner, name):
                calls.append(ScriptCall(name))
                node = inner
            case ast.Call(ast.Name(name), args):
                calls.append(ScriptCall(name, tuple(_literal(arg) for arg in args)))
                return Chain("", tuple(reversed(calls)))
            case ast.Name(name):
                return Chain(name, tuple(reversed(calls)))
            case _:
                return None


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Constant(value):
            return value
        case ast.List(items) | ast.Tuple(items):
            return [_literal(item) for item in items]
        case ast.Dict(keys, values):
            return {
                key.value: _literal(value)
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant)
            }
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
        case ast.Call(ast.Attribute(ast.Name("re"), "compile"), [ast.Constant(str() as source), *_]):
            return Pattern(source)
    chain = _chain(node)
    return chain if chain is not None else ScriptExpression(ast.unparse(node))
