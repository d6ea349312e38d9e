"""Hypothesis draws the same examples in every run, and a first call may compile."""

from hypothesis import settings

settings.register_profile("perfkit", deadline=None, derandomize=True)
settings.load_profile("perfkit")
