"""The instrument: runs benches, records them, compares them, reports them. Knows ids and numbers, no system."""
