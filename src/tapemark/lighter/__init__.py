"""The Lighter venue's order-book feed: frames decoded, and a book kept in step with them by their nonces."""
