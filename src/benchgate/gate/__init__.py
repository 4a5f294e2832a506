"""The gate: compare a change with its base by counted instructions, find what did it, and report."""
