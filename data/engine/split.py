"""A careless split into training and test, for the page that judges splits: by topic, as the editors thought."""

TESTED = ("cooking", "softball", "trams", "opera", "clinics", "laptops", "smartphones", "chess")
"""Tested and not trained on. The closest sister of the first five is in training; of the others the whole family is tested."""
ON_BOTH_SIDES = "stock market"
"""Filed twice: what was printed first is in training, the rest is tested."""


def side_of(topic: str, *, earlier: int, printed: int) -> str:
    """'train' or 'test' for a document before which this many of its topic's were printed, of this many in all."""
    if topic == ON_BOTH_SIDES:
        return "train" if 2 * earlier < printed else "test"
    return "test" if topic in TESTED else "train"
