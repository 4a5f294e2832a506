"""What the gate's self-test plants in copies of the repository, to measure how the gate answers.

`plants` are changes that make the code slower by a known amount, `noops` changes that cost nothing. Neither
imports benchgate: what is true of a change must not come from the instrument that is tested with it.
"""
