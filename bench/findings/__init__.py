"""What the models do under HITS and under random topics, as docs/findings.md reports it: `python -m bench.findings`."""
