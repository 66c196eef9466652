"""Sound: the clock a spoken call runs on, the line that carries it, the recording, sound files.

Nothing here knows pipecat, scenarios or sockets, and nothing here is imported by a call in text.
"""
