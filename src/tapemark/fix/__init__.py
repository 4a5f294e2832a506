"""FIX 4.4: frames out of a byte stream, fields out of a frame, typed messages and back."""
