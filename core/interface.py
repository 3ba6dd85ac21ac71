"""Calls for a notebook that stand for several of ours, so that the short way is also the right one."""

from .corpora import Corpus
from .demo import bundled_vectors
from .progress import Progress
from .topics import CORRECTED, Verdict, check_labels, hits_path, judge, resample_topics, topic_space
from .vectors import USUAL_ENCODER, Encoder, Vectors, VectorStore, make_encoder
from .vectors import embed as encode


def embed(
    corpus: Corpus,
    encoder: str | Encoder = USUAL_ENCODER,
    *,
    store: VectorStore | None = None,
    progress: Progress | None = None,
) -> Vectors:
    """The vectors of a corpus under an encoder or the one of that name; those that ship are read."""
    chosen = make_encoder(encoder) if isinstance(encoder, str) else encoder
    return bundled_vectors(corpus, chosen) or encode(corpus, chosen, store=store, progress=progress)


def verdict(corpus: Corpus, vectors: Vectors, *, k: int = 6, similarity: str = CORRECTED) -> Verdict:
    """Whether k-fold cross-validation over the topics leaks, with all that the answer hangs on.

    The labels are held against shuffled ones and the documents drawn anew: `judge` alone takes it on trust that topics mean
    something and that similarities are sure.
    """
    space = topic_space(vectors.matrix, corpus.topic_codes, corpus.topic_names, similarity=similarity)
    documents = vectors.matrix, corpus.topic_codes, len(space)
    return judge(
        space,
        hits_path(space.similarity),
        k=k,
        labels=check_labels(*documents, kind=similarity),
        resampled=resample_topics(*documents, kind=similarity),
        found=corpus.found,
    )
