"""What `scripts/make_fixtures.py` writes: fixtures in a venue's shapes, with values of this project's own.

Nothing here imports tapemark, so that no fixture can inherit one of its mistakes.
"""
