"""One visual style: ours are coloured lines, with bands for their intervals.

Every figure of a notebook is a ``Picture``: it has a caption and a text for those who can't see it.
"""

import io

import numpy as np

from perfkit.core.extras import extra

with extra("plot", "A picture"):
    import matplotlib.pyplot as plt
    import seaborn as sns
    from PIL import Image

WIDTH_IN = 7.0
DPI = 90  # at which a figure is as wide as a notebook's text; pictures have twice as many
COLOURS = 128
LEAST_ALT = 40


def use_style():
    """Set the style of every figure: notebook width, colour-blind safe, titles on the left."""
    sns.set_theme(context="notebook", style="whitegrid", palette="colorblind", font_scale=0.9)
    plt.rcParams.update(
        {
            "figure.figsize": (WIDTH_IN, 4.0),
            "figure.dpi": DPI,
            "axes.titlelocation": "left",
            "axes.titleweight": "bold",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
        }
    )


def few_colours(png):
    """Return a PNG in 128 colours: enough for a drawing, and a third of the bytes."""
    written = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(written, format="png")
    return written.getvalue()


class Picture:
    """A figure with its caption and its alternative text; a cell that ends with it shows all.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
    caption : str
        What it shows, in a sentence or two.
    alt : str
        What someone who can't see it must know, in 40 characters or more.
    """

    def __init__(self, figure, caption, alt):
        for name, text in {"caption": caption, "alt": alt}.items():
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"A picture needs its {name} in words; {text!r} is none.")
        if len(alt) < LEAST_ALT:
            raise ValueError(
                f"alt must tell the picture in {LEAST_ALT} characters or more; {alt!r} is shorter."
            )
        self.figure, self.caption, self.alt = figure, caption, alt

    def png(self):
        """Return the picture as PNG, at twice the resolution of a notebook's page."""
        drawn = io.BytesIO()
        self.figure.savefig(drawn, format="png", dpi=2 * DPI, bbox_inches=None)
        return drawn.getvalue()

    def bundle(self, small=True):
        """Return data and metadata by MIME type, captionless; ``small`` for one that is kept."""
        width, height = self.figure.get_size_inches() * DPI
        look = {"alt": self.alt, "width": round(width), "height": round(height)}
        png = few_colours(self.png()) if small else self.png()
        data = {"image/png": png, "text/plain": f"Picture: {self.alt}"}
        return data, {"image/png": look}

    def _ipython_display_(self):
        from IPython.display import Markdown, display

        data, metadata = self.bundle()
        display(data, raw=True, metadata=metadata)
        display(Markdown(f"*{self.caption}*"))


def panels(rows=1, columns=1, height=3.0, **options):
    """Return a figure of a notebook's width and its axes: one, or an array of them.

    Parameters
    ----------
    rows, columns : int
    height : float
        Inches per row.
    **options
        Handed to ``matplotlib.pyplot.subplots``.

    Examples
    --------
    >>> figure, axes = panels(columns=2)
    >>> axes.shape
    (2,)
    >>> plt.close(figure)
    """
    size = (WIDTH_IN, height * rows)
    return plt.subplots(rows, columns, figsize=size, layout="constrained", **options)


def picture(figure, caption, alt, legend=None):
    """Return a finished figure with its caption and its alternative text.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    caption, alt : str
        As in ``Picture``.
    legend : {"right", "below"}, optional
        Where one legend of all axes' labels stands, off the data.

    Examples
    --------
    >>> figure, ax = panels()
    >>> alt = "Empty axes, on which a curve is still to be drawn."
    >>> picture(figure, "Nothing yet.", alt).caption
    'Nothing yet.'
    """
    if legend not in (None, "right", "below"):
        raise ValueError(f'legend must be "right", "below" or None; {legend!r} is not.')
    if legend:
        marks = {}
        for ax in figure.axes:
            pairs = ax.get_legend_handles_labels()
            marks |= {label: handle for handle, label in zip(*pairs, strict=True)}
            if ax.get_legend() is not None:
                ax.get_legend().remove()
        place = {"right": "outside right upper", "below": "outside lower center"}[legend]
        for columns in range(1 if legend == "right" else min(len(marks), 4), 0, -1):
            look = {"loc": place, "ncols": columns, "fontsize": "small"}
            drawn = figure.legend(marks.values(), marks.keys(), **look)
            if columns == 1 or drawn.get_window_extent().width <= figure.bbox.width:
                break
            drawn.remove()
    plt.close(figure)  # or a notebook would show it again, without caption and text
    return Picture(figure, caption, alt)


def colours(count):
    """Return that many colours that colour-blind readers can tell apart, in a fixed order.

    Examples
    --------
    >>> len(colours(3))
    3
    """
    return sns.color_palette("colorblind", count)


def band(ax, x, mean, half_width, colour, label):
    """Draw a simulated curve with its 95 % interval."""
    x, mean, half_width = (np.asarray(v, float) for v in (x, mean, half_width))
    ax.plot(x, mean, color=colour, label=label)
    ax.fill_between(x, mean - half_width, mean + half_width, color=colour, alpha=0.2, lw=0)


def paired(ax, x, difference, half_width, colour, label=""):
    """Draw a paired difference along x with its 95 % band and the line of no difference."""
    ax.axhline(0.0, color="0.3", lw=1)
    band(ax, x, difference, half_width, colour, label)
