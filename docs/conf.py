"""Settings of the offline pages: ``make site`` builds README, notebooks, notes and the API."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from docutils import nodes
from latex2mathml.converter import convert

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from docs import pages, panels, predict  # noqa: E402
from perfkit import __version__  # noqa: E402
from perfkit.core.record import ParameterRecord  # noqa: E402

project = "perfkit"
release = __version__
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
    "studies/**/NOTES.md",
]
html_theme = "furo"
html_title = "perfkit"
html_copy_source = False
copyright = "2026, the perfkit authors; code under the BSD 3-Clause licence"
html_theme_options = {"source_view_link": os.environ.get("PERFKIT_SOURCE", "")}
html_show_search_summary = False  # it would fetch pages, which browsers refuse for files
html_permalinks_icon = "¶"
html_additional_pages = {"index": "landing.html"}
html_additional_pages |= {f"machines/{key}": "machine.html" for key in panels.PANELS}
html_additional_pages |= {f"predict/{key}": "predict.html" for key in predict.QUESTIONS}
templates_path = ["_templates"]
html_static_path = ["_static", "../perfkit/show/players/player.css"]
html_css_files = ["site.css", "player.css"]
html_js_files = [("site.js", {"defer": "defer"})]
highlight_language = "text"  # a fence without a language is a command line
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_code_prompt_show = "Code"
nb_code_prompt_hide = "Code"
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
myst_heading_slug_func = "docs.conf.jupyter_slug"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
html_math_renderer = "mathml"

PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')  # not coloured, a third of a page
TEACHING = (ROOT / "docs/teaching.md").exists()
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
notebooks/across
notebooks/scale
docs/report
docs/stress/index
```
TEACHING_PAGE
```{toctree}
:hidden:
:caption: Reference
docs/api/systems
docs/api/runs
docs/api/studies
docs/api/analytic
docs/api/methods
docs/api/des
```
```{toctree}
:hidden:
:caption: Errata and notes
:glob:
data/*/ERRATA
studies/*/NOTES
perfkit/methods/NOTES
docs/robustness
CONTRIBUTING
CHANGELOG
```
""".replace("TEACHING_PAGE", "```{toctree}\n:hidden:\ndocs/teaching\n```\n" if TEACHING else "")
SHEETS = "\n```{toctree}\n:hidden:\n" + "\n".join(pages.STUDIES) + "\n```\n"


def jupyter_slug(title):
    """Return the anchor of a heading that Jupyter gives it, and so our notebooks' links."""
    return title.replace(" ", "-")


def read_source(app, name, source):
    """Give pages the tables of contents that they don't need elsewhere; make pages of notebooks."""
    if name == root_doc:
        source[0] += CONTENTS
    elif name == "docs/stress/index":
        source[0] += SHEETS
    elif name.startswith("notebooks/"):
        page = pages.Page(name.removeprefix("notebooks/"), Path(app.outdir) / "_images")
        source[0] = page.transformed(source[0])


def name_parameters(app, domain, kind, content):
    """Give each parameter, attribute and result of a documented object an anchor of its own."""
    for owner in content.parent[0].get("ids", ())[:1]:
        for term in content.findall(nodes.term):
            target = f"{owner}.{term[0].astext()}"
            if isinstance(term[0], nodes.strong) and not term["ids"] and target not in app.named:
                app.named.add(target)
                term["ids"].append(target)
                link = nodes.reference("", "¶", refid=target, internal=True)
                term += nodes.inline("", "", link, classes=["headerlink-box"])


def add_to_page(app, name, template, context, tree):
    """Let every page lead back to the landing page, and give that its cards."""
    context["master_doc"] = "index"
    if "body" in context:
        body = PLAIN.sub(r"\1", context["body"])  # and a fold is called what stands on it
        context["body"] = body.replace(' aria-label="Toggle hidden content"', "")
    tree = context.get("furo_navigation_tree", "")  # whose headings don't say their level
    context["furo_navigation_tree"] = tree.replace('"heading"', '"heading" aria-level="2"')
    folder, _, key = name.rpartition("/")
    told = pages.preview(name, html_title, context["pathto"])
    context["metatags"] = context.get("metatags", "") + told
    if name == "index":
        panel = pages.panel("unix_v6", "")
        context |= {"cards": pages.cards(), "panel": panel, "teaching": TEACHING}
        context["questions"] = predict.QUESTIONS
    elif folder == "predict":
        context |= {"asked": predict.told(key), "panel": pages.panel(key, "../")}
        context["title"] = f"Predict first: {context['asked']['question']}"
    elif folder == "machines":
        context |= {"key": key, "title": f"{pages.STUDIES[key].title}: the machine"}
        context |= {"panel": pages.panel(key, "../"), "parameters": pages.parameters(key)}
        context["card"] = next(card for card in pages.cards() if card["key"] == key)


def start_machines(app):
    """Compile the machines meanwhile: it takes longer than the pages do."""
    command = [sys.executable, "-m", "tools.wasm.build", panels.MODULES]
    app.machines = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def write_downloads(app, failure):
    """Write what pages link to beside them."""
    if failure:
        app.machines.terminate()
    elif app.machines.wait():
        raise RuntimeError("The machines were not compiled; python -m tools.wasm.build says why.")
    else:
        pages.write_downloads(Path(app.outdir) / "downloads")


def is_left_out(app, what, name, obj, skip, options):
    """Leave out fields of named tuples, which their class explains, and what NumPy documents."""
    numpys = hasattr(np.random.Generator, name) and not obj.__doc__
    return True if numpys or type(obj).__name__ == "_tuplegetter" else None


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
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="math-scroll">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Connect all of these."""
    app.named = set()
    app.connect("builder-inited", start_machines)
    app.connect("source-read", read_source)
    app.connect("object-description-transform", name_parameters)
    app.connect("html-page-context", add_to_page, priority=900)
    app.connect("build-finished", write_downloads)
    app.connect("autodoc-skip-member", is_left_out)
    app.connect("autodoc-process-docstring", list_measures)
    app.connect("autodoc-process-signature", short_signature)
    app.add_html_math_renderer("mathml", (inline_math, None), (display_math, None))
    return {"parallel_read_safe": True}
