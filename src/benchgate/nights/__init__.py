"""The night: several passes on a pinned machine, their noise, and what changed since the nights before."""
