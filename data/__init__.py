"""The bundled corpus and its builder: `python -m data.build`, then `python -m data.bundle`."""
