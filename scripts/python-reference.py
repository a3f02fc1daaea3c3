"""Writes docs/python-reference.md from the sources of the package `netloom`.

Usage: python3 scripts/python-reference.py [--check]. `make generate` writes it; with `--check`, as
in `make lint`, nothing is written, and an old page is an error. The sources are parsed, not
imported, so neither the binary nor another package is needed.
"""

import ast
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "netloom"
PAGE = ROOT / "docs" / "python-reference.md"

HEAD = """# Reference of the Python package

For those who know [the guide](python.md) and look something up. `make generate` makes this page
from the sources, whose types editors show. Keywords that stand for keys of a scenario (`**keys`)
are described in [scenario.md](scenario.md) and [properties.md](properties.md), and completed by
editors.
"""

# Parts of the page: a title and the names in it. Every name of `netloom.__all__` is in one of them.
PARTS = {
    "Scenarios": ["Scenario", "Node", "Link", "Medium", "load", "from_networkx"],
    "Experiments": [
        "Experiment", "LiveNode", "LiveLink", "LiveMedium", "Process", "Finished", "attach",
        "experiments",
    ],
    "Results": ["Results", "Table", "Verdict", "Comparison", "results", "compare"],
    "Sweeps": ["Sweep", "sweep", "flow", "Flow", "pipe", "Pipe", "printed", "reported"],
    "Errors": [
        "Error", "ScenarioError", "Diagnostic", "Refused", "CommandFailed", "EngineGone",
        "Untrusted",
    ],
    "Quantities and the binary": ["seconds", "bits", "binary"],
}
# Classes that users meet and do not make.
UNLISTED = {"Flow": "_sweep", "Pipe": "_sweep"}

# Methods of Python's that say how an object is used.
OPERATORS = {
    "__enter__": "with {name} as …",
    "__getitem__": "{name}[key]",
    "__setitem__": "{name}[key] = value",
    "__len__": "len({name})",
    "__iter__": "for … in {name}",
    "__contains__": "key in {name}",
}


class Sources:
    """The parsed modules of the package."""

    def __init__(self):
        self.modules = {
            path.stem: ast.parse(path.read_text(), str(path)) for path in PACKAGE.glob("*.py")
        }
        self.origin = {}
        for node in ast.walk(self.modules["__init__"]):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self.origin[alias.asname or alias.name] = (node.module, alias.name)
        for name, module in UNLISTED.items():
            self.origin[name] = (module, name)

    def listed(self):
        """The names of `__all__`."""
        for node in self.modules["__init__"].body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                return [name for name in ast.literal_eval(node.value) if not name.startswith("__")]
        raise SystemExit("netloom/__init__.py has no __all__")

    def find(self, name):
        """The definition of a name of the package."""
        module, name = self.origin[name]
        found = self.defined(module, name)
        if found is None:
            raise SystemExit(f"{module}.py does not define {name}")
        return module, found

    def defined(self, module, name):
        for node in self.modules[module].body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
                return node
        return None

    def members(self, module, node):
        """The methods and fields of a class, with those of its bases in the module."""
        members = {}
        for base in node.bases:
            parent = self.defined(module, getattr(base, "id", ""))
            if parent is not None:
                members.update(self.members(module, parent))
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                members[part.name] = part
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                members[part.target.id] = part
        return members


def is_property(function):
    return any(getattr(decorator, "id", "") == "property" for decorator in function.decorator_list)


def signature(name, function, is_method):
    """The call, without types, which editors show."""
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        argument.annotation = None
    for argument in filter(None, (arguments.vararg, arguments.kwarg)):
        argument.annotation = None
    words = ast.unparse(arguments)
    if is_method:
        words = words.removeprefix("self").removeprefix(", ")
    return f"{name}({words})"


def attributes(init, members):
    """The public attributes that a class sets when it is made."""
    targets = (
        target
        for node in ast.walk(init)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    )
    names = (
        target.attr
        for target in targets
        if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self"
    )
    return dict.fromkeys(
        name for name in names if not name.startswith("_") and name not in members
    )


def paragraphs(node):
    """The doc comment as Markdown, filled."""
    text = ast.get_docstring(node)
    if not text:
        return ""
    blocks = text.split("\n\n")
    filled = [
        block if block.startswith((" ", ">>>", "- "))
        else textwrap.fill(" ".join(block.split()), 100, break_long_words=False,
                           break_on_hyphens=False)
        for block in blocks
    ]
    return "\n\n".join(filled)


def entry(words, text):
    first, *rest = text.split("\n\n")
    item = textwrap.fill(
        f"- `{words}`" + (f": {' '.join(first.split())}" if first else ""),
        100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False,
    )
    more = (textwrap.indent(block, "  ") for block in rest)
    return "\n\n".join((item, *more))


def describe_class(sources, name, module, node, missing):
    lines = [f"### `{name}`", "", paragraphs(node) or ""]
    if not ast.get_docstring(node):
        missing.append(name)
    members = sources.members(module, node)
    entries = []
    init = members.pop("__init__", None)
    if init is not None and name == "Scenario":
        entries.append(entry(f"nl.{signature(name, init, True)}", "Makes one."))
    fields = attributes(init, members) if init is not None else {}
    if fields:
        words = ", ".join(f"`{field}`" for field in fields)
        entries.append(f"- Attributes: {words}.")
    for key, part in members.items():
        if isinstance(part, ast.AnnAssign):
            if not key.startswith("_"):
                entries.append(entry(key, f"`{ast.unparse(part.annotation)}`"))
        elif key in OPERATORS:
            # Its use says what it does, unless a comment does.
            entries.append(entry(OPERATORS[key].format(name=name.lower()), paragraphs(part)))
        elif not key.startswith("_"):
            words = key if is_property(part) else signature(f".{key}", part, True)
            text = paragraphs(part)
            if not text and not (is_property(part) and name in UNLISTED):
                missing.append(f"{name}.{key}")
            entries.append(entry(words, text))
    if entries:
        lines += ["", "\n".join(entries)]
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def page():
    sources = Sources()
    missing = []
    placed = {name for names in PARTS.values() for name in names}
    for name in sources.listed():
        if name not in placed:
            missing.append(f"{name} (in no part of scripts/python-reference.py)")
    out = [HEAD]
    for title, names in PARTS.items():
        out.append(f"## {title}\n")
        for name in names:
            module, node = sources.find(name)
            if isinstance(node, ast.ClassDef):
                out.append(describe_class(sources, name, module, node, missing) + "\n")
                continue
            if not ast.get_docstring(node):
                missing.append(name)
            words = textwrap.fill(
                f"`{signature(name, node, False)}`", 100, break_long_words=False,
                break_on_hyphens=False,
            )
            out.append(f"### `nl.{name}`\n\n{words}\n\n{paragraphs(node)}\n")
    out.append("## In pytest\n\n" + plugin(sources))
    if missing:
        raise SystemExit("without a doc comment: " + ", ".join(missing))
    return "\n".join(out).rstrip() + "\n"


def plugin(sources):
    """The fixtures of the plugin."""
    fixtures = [
        entry(part.name, paragraphs(part))
        for part in sources.modules["pytest_plugin"].body
        if isinstance(part, ast.FunctionDef)
        and any("fixture" in ast.unparse(decorator) for decorator in part.decorator_list)
    ]
    intro = "`pip install netloom` adds these fixtures to pytest.\n\n"
    return intro + "\n".join(fixtures) + "\n"


def main():
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text)
        print(PAGE.relative_to(ROOT))
    elif not PAGE.exists() or PAGE.read_text() != text:
        raise SystemExit(f"{PAGE.relative_to(ROOT)} is out of date: run `make generate`")


main()
