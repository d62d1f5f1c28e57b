"""From the structure of an expression to its lowered tree, with every name, field and type checked on the way."""

from __future__ import annotations

from collections.abc import Callable

from policyctl.diagnostics import nearest
from policyctl.expr.advice import UNSUPPORTED_VALUES, binary_help
from policyctl.expr.calls import lower_call, lower_method
from policyctl.expr.literals import read_double, read_int, read_string
from policyctl.expr.problems import Problems, quoted
from policyctl.expr.scope import Record, Scope, Type, article
from policyctl.expr.signatures import ARITHMETIC, COMPARISONS, EQUALITY, NEGATABLE, binary_type, comparable
from policyctl.expr.syntax import Syntax
from policyctl.expr.trees import Tree
from policyctl.expr.typed import Typed
from policyctl.units import BadQuantity

__all__ = ["Lowering"]

_KEYWORDS = {"in", "true", "false", "null"}


class Lowering:
    """Lowers one expression; where a part is wrong the problem is noted, the result is None, and the rest goes on."""

    def __init__(self, scope: Scope, problems: Problems) -> None:
        self.scope = scope
        self.problems = problems

    def lower(self, node: Syntax) -> Typed | None:
        """Lower one construct."""
        if node.op in UNSUPPORTED_VALUES:
            what, instead = UNSUPPORTED_VALUES[node.op]
            return self.wrong("C008", f"{what} is outside of what rules may use", node, instead)
        if node.op == "call":
            return lower_call(self, node)
        if node.op == "method":
            return lower_method(self, node)
        return _FORMS[node.op](self, node)

    def wrong(self, code: str, message: str, node: Syntax, hint: str | None = None) -> Typed | None:
        """Note a problem at a construct; there is no tree then."""
        self.problems.add(code, message, node.span, hint)
        return None

    def record(self, node: Syntax) -> Record | None:
        """Return the record that a bare name stands for, if it does."""
        return self.scope.records.get(node.text) if node.op == "name" else None

    def field_problem(self, node: Syntax, root: str, record: Record) -> Typed | None:
        """Note that a record has no such field, with the place of the field alone; there is no tree then."""
        if close := nearest(node.text, record):
            hint = f"did you mean `{root}.{close}`?"
        else:
            hint = f"its fields are {', '.join(f'`{name}`' for name in sorted(record))}"
        span = (node.end - len(node.text), node.end)
        self.problems.add("C005", f"`{root}` has no field {quoted(node.text)}", span, hint)
        return None

    def lower_literal(self, node: Syntax) -> Typed | None:
        try:
            match node.op:
                case "bool":
                    return Typed(["bool", node.text == "true"], Type.BOOL)
                case "int":
                    return Typed(["int", read_int(node.text)], Type.INT)
                case "double":
                    return Typed(["double", read_double(node.text)], Type.DOUBLE)
                case _:
                    return Typed(["string", read_string(node.text)], Type.STRING)
        except BadQuantity as error:
            return self.wrong("C011", str(error), node, error.help)

    def lower_name(self, node: Syntax) -> Typed | None:
        if found := self.scope.variables.get(node.text):
            return Typed(["name", node.text], found)
        if record := self.record(node):
            some = f"{node.text}.{min(record)}"
            return self.wrong(
                "C006", f"`{node.text}` is a record, not a value", node, f"name a field: `{some}`"
            )
        owners = [root for root in sorted(self.scope.records) if node.text in self.scope.records[root]]
        known = ", ".join(f"`{name}`" for name in self.scope.names)
        if close := nearest(node.text, self.scope.names):
            hint = f"did you mean `{close}`?"
        elif owners:
            hint = f"did you mean `{owners[0]}.{node.text}`?"
        else:
            hint = f"known here are {known}; texts stand in quotes"
        return self.wrong("C004", f"unknown name {quoted(node.text)}", node, hint)

    def lower_select(self, node: Syntax) -> Typed | None:
        target = node.parts[0]
        if node.text in _KEYWORDS:
            hint = f"write `labels['{node.text}']` for a label"
            return self.wrong("C001", f"`{node.text}` is a word of CEL and no field", node, hint)
        if record := self.record(target):
            if field := record.get(node.text):
                return Typed(["field", target.text, node.text], field.type)
            return self.field_problem(node, target.text, record)
        found = self.lower(target)
        if found is None:
            return None
        if found.type is Type.LABELS:
            return Typed(["label", found.tree, ["string", node.text]], Type.STRING)
        return self.wrong(
            "C006", f"{article(found.type)} has no fields", node, _field_help(node.text, found.type)
        )

    def lower_index(self, node: Syntax) -> Typed | None:
        target, key = (self.lower(part) for part in node.parts)
        if target is None or key is None:
            return None
        if target.type is not Type.LABELS:
            return self.wrong(
                "C006",
                f"{article(target.type)} has no index",
                node,
                "only labels have one: `job.labels['tier']`",
            )
        if key.type is not Type.STRING:
            return self.wrong(
                "C006", f"the name of a label is a string, not {article(key.type)}", node.parts[1]
            )
        return Typed(["label", target.tree, key.tree], Type.STRING)

    def lower_logic(self, node: Syntax) -> Typed | None:
        trees: list[Tree] = []
        for part in node.parts:
            found = self.lower(part)
            if found is None:
                continue
            if found.type is not Type.BOOL:
                hint = "compare it with something: `job.gpus > 0.0`" if found.type.numeric else None
                self.wrong("C006", f"`{node.op}` takes bool, and this is {article(found.type)}", part, hint)
            trees.append(found.tree)
        return Typed([node.op, *trees], Type.BOOL)

    def lower_choice(self, node: Syntax) -> Typed | None:
        condition, left, right = (self.lower(part) for part in node.parts)
        if condition and condition.type is not Type.BOOL:
            self.wrong("C006", f"`?` takes bool, and this is {article(condition.type)}", node.parts[0])
        if condition is None or left is None or right is None:
            return None
        if left.type is not right.type:
            message = f"`:` stands between {article(left.type)} and {article(right.type)}"
            return self.wrong("C006", message, node, "both sides have one type")
        return Typed(["?:", condition.tree, left.tree, right.tree], left.type)

    def lower_membership(self, node: Syntax) -> Typed | None:
        left, right = node.parts
        needle = self.lower(left)
        if right.op == "list":
            items = [(item, self.lower(item)) for item in right.parts]
            return needle and self._in_list(needle, items, left)
        labels = self.lower(right)
        if needle is None or labels is None:
            return None
        if labels.type is not Type.LABELS:
            hint = "write `x in ['a', 'b']` or `'tier' in job.labels`"
            return self.wrong(
                "C006", f"`in` takes a list or labels on its right, not {article(labels.type)}", right, hint
            )
        if needle.type is not Type.STRING:
            return self.wrong("C006", f"the name of a label is a string, not {article(needle.type)}", left)
        return Typed(["has_label", labels.tree, needle.tree], Type.BOOL)

    def _in_list(self, needle: Typed, items: list[tuple[Syntax, Typed | None]], left: Syntax) -> Typed | None:
        if needle.type is Type.LABELS:
            return self.wrong(
                "C006", "labels are in no list", left, "compare one label: `job.labels.tier in ['gold']`"
            )
        for node, item in items:
            if item and not comparable(needle.type, item.type):
                self.wrong("C006", f"{article(needle.type)} is never {article(item.type)}", node)
            elif item:
                self._check_value(needle.tree, item.tree, node)
        return Typed(["in", needle.tree, *(item.tree for _, item in items if item)], Type.BOOL)

    def lower_negation(self, node: Syntax) -> Typed | None:
        found = self.lower(node.parts[0])
        if found is None:
            return None
        if found.type not in NEGATABLE:
            hint = "write `!` for not" if found.type is Type.BOOL else "subtract it from something"
            return self.wrong("C006", f"`-` takes a number, and this is {article(found.type)}", node, hint)
        return Typed(["neg", found.tree], found.type)

    def lower_binary(self, node: Syntax) -> Typed | None:
        left, right = (self.lower(part) for part in node.parts)
        if left is None or right is None:
            return None
        result = binary_type(node.op, left.type, right.type)
        if result is None:
            message = f"`{node.op}` does not go between {article(left.type)} and {article(right.type)}"
            return self.wrong("C006", message, node, binary_help(node, left.type, right.type))
        if node.op in EQUALITY:
            self._check_value(left.tree, right.tree, node.parts[1])
            self._check_value(right.tree, left.tree, node.parts[0])
        return Typed([node.op, left.tree, right.tree], result)

    def _check_value(self, variable: Tree, value: Tree, node: Syntax) -> None:
        if variable[0] != "field" or value[0] != "string":
            return
        possible = self.scope.records[variable[1]][variable[2]].values
        if possible and value[1] not in possible:
            close = nearest(value[1], possible)
            known = " or ".join(f"`{one}`" for one in possible)
            hint = f"did you mean `{close}`?" if close else f"it is {known}"
            self.wrong("C017", f"`{variable[1]}.{variable[2]}` is never {quoted(value[1])}", node, hint)


_Form = Callable[[Lowering, Syntax], Typed | None]
_FORMS: dict[str, _Form] = {
    **dict.fromkeys(("bool", "int", "double", "string"), Lowering.lower_literal),
    **dict.fromkeys(("&&", "||", "!"), Lowering.lower_logic),
    **dict.fromkeys((*COMPARISONS, *ARITHMETIC), Lowering.lower_binary),
    "name": Lowering.lower_name,
    "select": Lowering.lower_select,
    "index": Lowering.lower_index,
    "?:": Lowering.lower_choice,
    "in": Lowering.lower_membership,
    "neg": Lowering.lower_negation,
}


def _field_help(name: str, kind: Type) -> str | None:
    if name.startswith("get") and kind in {Type.TIMESTAMP, Type.DURATION}:
        return f"call it: `{name}()`"
    return None
