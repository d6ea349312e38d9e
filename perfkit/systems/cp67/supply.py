"""The supply of draws for one day: two streams, refilled when they run low."""

from perfkit.des.draws import stream


class Supply:
    """Refills a machine's draws.

    Parameters
    ----------
    seed, day : int
    """

    def __init__(self, seed, day):
        self.exponential = stream(seed, "gap", day)
        self.uniform = stream(seed, "place", day)

    def refill(self, machine):
        """Draw anew what has been used (modifies the machine in place)."""
        k = machine.kernel
        _refill(machine.exponentials, k.exponentials_used, self.exponential.standard_exponential)
        _refill(machine.uniforms, k.uniforms_used, self.uniform.random)
        k.exponentials_used = k.uniforms_used = 0


def _refill(block, used, draw):
    """Move the draws left to the front and fill up behind them."""
    left = block.size - used
    block[:left] = block[used:].copy()
    block[left:] = draw(used)
