"""Settings of the offline pages: ``make site`` builds README, notebooks, notes and the API."""

import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from perfkit.record import ParameterRecord  # noqa: E402

project = "perfkit"
root_doc = "README"
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/**.md",
    "notebooks/*.ipynb",
    "data/*/ERRATA.md",
    "perfkit/**/NOTES.md",
]
html_theme = "furo"
html_title = "perfkit"
html_copy_source = False
html_extra_path = ["index.html"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath"]
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
html_math_renderer = "mathml"

CONTENTS = """
```{toctree}
:hidden:
:caption: Studies
notebooks/index
notebooks/unix_v6
notebooks/sim61
notebooks/cp67
notebooks/emas
notebooks/tss360
```
```{toctree}
:hidden:
:caption: Reference
docs/api/systems
docs/api/runs
docs/api/analytic
docs/api/methods
docs/api/des
```
```{toctree}
:hidden:
:caption: Errata and notes
:glob:
data/*/ERRATA
perfkit/studies/*/NOTES
perfkit/methods/NOTES
CONTRIBUTING
CHANGELOG
```
"""


def add_contents(app, name, source):
    """Let README open the site: give it the table of contents that it doesn't need elsewhere."""
    if name == root_doc:
        source[0] += CONTENTS


def is_field_alias(app, what, name, obj, skip, options):
    """Leave out the fields of named tuples, which their class's text explains."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def list_measures(app, what, name, obj, options, lines):
    """Let a system's result say what each of its measures is."""
    if name.endswith(".Result"):
        measures = getattr(sys.modules[name.removesuffix(".Result")], "MEASURES", {})
        lines += ["", ".. rubric:: Measures", ""]
        lines += [line for key, text in measures.items() for line in (f"``{key}``", f"    {text}")]


def short_signature(app, what, name, obj, options, signature, returns):
    """Show a parameter record's many fields in its list alone."""
    if isinstance(obj, type) and issubclass(obj, ParameterRecord):
        return "(**values)", returns
    return None


def inline_math(writer, node):
    """Write a formula within a line as MathML, which browsers show without scripts."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def display_math(writer, node):
    """Write a formula that stands by itself."""
    writer.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app):
    """Connect all of these."""
    app.connect("source-read", add_contents)
    app.connect("autodoc-skip-member", is_field_alias)
    app.connect("autodoc-process-docstring", list_measures)
    app.connect("autodoc-process-signature", short_signature)
    app.add_html_math_renderer("mathml", (inline_math, None), (display_math, None))
    return {"parallel_read_safe": True}
