"""The environment that agents get: as it was when sparring started, and what their entry adds.

Variables that we set for ourselves while we run (thread counts, switches of libraries) are none of
an agent's business, and must not change how it behaves. So agents get a copy that was taken when
this package was first imported. A door that loads a user's ``.env`` after that gives the fleet a
copy of its own, taken then.
"""

import os
from collections.abc import Mapping
from types import MappingProxyType

AT_START: Mapping[str, str] = MappingProxyType(dict(os.environ))
"""Our environment when this package was imported."""
