"""The instrument: runs benches, records, compares and reports them. It knows ids and numbers, no system."""
