"""JSON for clients: compact, as UTF-8 carries it."""

from __future__ import annotations

import json

# Raises ``ValueError`` for what is not JSON, NaN included. A lone surrogate stays one, and fails
# when it is encoded.
compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
