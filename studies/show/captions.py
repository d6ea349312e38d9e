"""Captions and alternative texts: a study's ``captions.toml`` has them by picture."""

import tomllib

from perfkit.show import plots
from studies import PACKAGE


class Captions:
    """The words of one study's pictures; ``{name:.2f}`` in them takes a value's number."""

    def __init__(self, key):
        self._path = PACKAGE / key / "captions.toml"
        self._pictures = tomllib.loads(self._path.read_text(encoding="utf-8"))

    def words(self, name, **values):
        """Return a picture's caption and alternative text, each on one line."""
        if name not in self._pictures:
            raise ValueError(f"{self._path.name} of {self._path.parent.name} has no [{name}].")
        texts = (self._pictures[name][part].format(**values) for part in ("caption", "alt"))
        return tuple(" ".join(text.split()) for text in texts)

    def picture(self, figure, name, legend=None, **values):
        """Return a finished figure with its words, as ``plots.picture`` does."""
        return plots.picture(figure, *self.words(name, **values), legend)
