"""What a corpus must have before models can be run on it, or topics sampled from it."""

from ..corpora import Corpus
from ..errors import SettingError

SAMPLED_FROM = 4  # topics at least


def need_authors(corpus: Corpus) -> None:
    """Refuse what needs two authors where there are not two."""
    names = corpus.author_names
    if names is None or len(names) < 2:
        known = "no authors" if names is None else "one author only"
        raise SettingError(f"This corpus has {known}; models need two or more to tell apart.")


def need_topics(corpus: Corpus) -> int:
    """The number of topics, where there are enough to sample from."""
    if len(corpus.topic_names) < SAMPLED_FROM:
        raise SettingError("Sampling needs four topics or more; this corpus has fewer.")
    return len(corpus.topic_names)
