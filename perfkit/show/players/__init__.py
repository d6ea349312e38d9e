"""Players: a machine that is watched, event by event, in one file or a notebook's cell.

``player`` films what is seen of a machine and returns a page that plays the film; ``film`` alone is
what tests and pages have in common.
"""

from perfkit.show.players.films import Film, film
from perfkit.show.players.page import Player, player

__all__ = ["Film", "Player", "film", "player"]
