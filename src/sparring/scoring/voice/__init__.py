"""Scoring from the recording: voiced intervals in, measures of how a spoken call went out.

``intervals`` is the arithmetic, ``voiced`` finds where a track is voiced, ``speech`` makes turns of
it, and ``responses``, ``overlaps`` and ``durations`` measure. Everything is a pure function, and
only ``voiced`` needs numpy. Definitions follow the RUN metrics contract 2.0; ``docs/audio-metrics``
lists them with what is ours.
"""
