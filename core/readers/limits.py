"""How much is read before reading stops; a hosted app shares one machine among its users."""

MOST_BYTES = 200_000_000  # one upload
MOST_BYTES_HERE = 1_000_000_000  # a path on the user's own machine
MOST_UNPACKED = 500_000_000  # what an archive or a Parquet file may grow to
MOST_FILES = 100_000
MOST_RATIO = 200  # unpacked : packed; text rarely passes 20
MOST_COLUMNS = 200
MOST_CELLS = 20_000_000
LONGEST_LINE = 16_000_000  # characters; two longest texts and their escapes fit


def size_of(count: int) -> str:
    """A number of bytes for people, in decimal units as file managers show them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.0f} {unit}"
    return f"{count:,} bytes"
