"""The Derive venue: frames decoded and parsed, actions signed, orders encoded, private frames dispatched."""
