"""``CallFigures``: how many calls there were, how many failed, and how long they took (SPEC §21.3)."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

# Four buckets for each doubling of the time, in microseconds: a figure is at most an eighth off.
_BUCKETS_BITS = 2
_BUCKETS = 64 << _BUCKETS_BITS


class CallFigures:
    """Since the start, in constant space and next to no time. For the executor thread alone."""

    def __init__(self) -> None:
        self._ok = 0
        self._failed = 0
        self._took: List[int] = [0] * _BUCKETS

    def ended(self, is_ok: bool, took_s: float) -> None:
        """Count a call that was answered."""
        if is_ok:
            self._ok += 1
        else:
            self._failed += 1
        self._took[_bucket(took_s)] += 1

    def refused(self) -> None:
        """Count a call that was refused before it was handed over: it took no time that says
        anything.
        """
        self._failed += 1

    def as_json(self) -> Dict[str, Any]:
        """``{ok, failed, p50_ms, p99_ms}``; the last two are null where there was no call yet."""
        return {
            "ok": self._ok,
            "failed": self._failed,
            "p50_ms": self._percentile(0.5),
            "p99_ms": self._percentile(0.99),
        }

    def _percentile(self, share: float) -> Optional[float]:
        rank = share * sum(self._took)
        so_far = 0
        for bucket, count in enumerate(self._took):
            so_far += count
            if count and so_far >= rank:
                return _milliseconds(bucket)
        return None


def _bucket(took_s: float) -> int:
    microseconds = max(1 << _BUCKETS_BITS, int(took_s * 1e6))
    octave = microseconds.bit_length() - 1 - _BUCKETS_BITS
    return min(
        _BUCKETS - 1, (octave << _BUCKETS_BITS) + (microseconds >> octave) - (1 << _BUCKETS_BITS)
    )


def _milliseconds(bucket: int) -> float:
    """Return the middle of the times that fall into ``bucket``."""
    octave, step = bucket >> _BUCKETS_BITS, bucket & ((1 << _BUCKETS_BITS) - 1)
    return round(((1 << _BUCKETS_BITS) + step + 0.5) * (1 << octave) / 1e3, 3)
