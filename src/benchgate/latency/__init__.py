"""Distributions: each call timed by itself, beside what the timer costs and what others published."""
