"""Close codes of a WebSocket connection (RFC 6455 §7.4.1), for everybody who closes one or reads
why it was closed.
"""

from __future__ import annotations

NORMAL = 1000
GOING_AWAY = 1001
NO_STATUS = 1005
"""Never sent: the peer's close frame had no code."""
ABNORMAL = 1006
"""Never sent: the connection ended without a close frame."""
POLICY_VIOLATION = 1008
TOO_BIG = 1009
INTERNAL_ERROR = 1011
