"""Place a machine among the kinds of machines for which a source published percentiles of a metric.

A kind holds a figure that lies between its two, or is at most its one. The machine is placed where a kind
holds both p50 and p95. The code and its language differ, so that is a place on a scale and no verdict on a
CPU.
"""

from collections.abc import Mapping

from benchgate import figures
from benchgate.latency.histogram import Summary
from benchgate.published import Bounds, Tier


def place(samples: Summary, tiers: Mapping[str, Tier]) -> str:
    """Tell where the p50 and p95 of a metric lie among `tiers`, of which there is at least one."""
    kinds = tuple(
        name
        for name, tier in tiers.items()
        if _holds(tier.p50, samples.p50) and _holds(tier.p95, samples.p95)
    )
    if kinds:
        here = f"p50 {figures.duration(samples.p50)} and p95 {figures.duration(samples.p95)}"
        return f"{here} fall into the ranges of {', '.join(kinds)}, which is no verdict on this CPU"
    parts = (
        _outside("p50", samples.p50, {name: tier.p50 for name, tier in tiers.items()}),
        _outside("p95", samples.p95, {name: tier.p95 for name, tier in tiers.items()}),
    )
    return f"no tier holds both: {', '.join(parts)}"


def ranges_text(tiers: Mapping[str, Tier]) -> str:
    """Write what each kind holds of p50 and p95, and which machines it is."""
    return "; ".join(
        f"{name} {bounds_text(tier.p50)}, {bounds_text(tier.p95)} ({tier.hardware})"
        for name, tier in tiers.items()
    )


def bounds_text(bounds: Bounds) -> str:
    """Write what a kind holds."""
    if isinstance(bounds, list):
        return f"{figures.duration(bounds[0])} to {figures.duration(bounds[1])}"
    return f"at most {figures.duration(bounds)}"


def _holds(bounds: Bounds, ns: float) -> bool:
    low, high = bounds if isinstance(bounds, list) else (0.0, bounds)
    return low <= ns <= high


def _outside(name: str, ns: float, tiers: Mapping[str, Bounds]) -> str:
    held = [tier for tier, bounds in tiers.items() if _holds(bounds, ns)]
    here = f"{name} {figures.duration(ns)}"
    if held:
        return f"{here} only {', '.join(held)}"
    tops = {tier: bounds[1] if isinstance(bounds, list) else bounds for tier, bounds in tiers.items()}
    slowest = max(tops, key=lambda tier: tops[tier])
    if ns > tops[slowest]:
        return f"{here} is {figures.factor(ns / tops[slowest])} the highest, of {slowest}"
    return f"{here} between tiers" if ns > min(tops.values()) else f"{here} below all"
