"""A seeded market of 50 symbols on two venues: the frames that a client receives of it, and where they lead.

`session` makes the frames, `expected` follows them with plain dicts of decimals. Nothing here imports
tapemark, so that neither can inherit one of its mistakes.
"""
