"""Reference implementations of the hot paths of trading systems: pure computation, no I/O.

Clocks and randomness are arguments. Each public name is exported once, by the module of its subject.
"""
