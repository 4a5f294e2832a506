"""Benches are measured by the gate's plugin, which provides `measure`."""

pytest_plugins = ["benchgate.plugin"]
