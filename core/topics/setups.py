"""A sample of topics as a corpus of its own, to be dealt into folds like any other."""

from ..arrays import Singles, record
from ..corpora import Corpus, make_corpus, take
from ..errors import SettingError, unknown
from .sampling import POLICIES, SAMPLERS, checked_m, make_sample, sampled_documents
from .space import TopicSpace, check_documents, topic_space


@record
class Setup:
    """A sample of topics as a corpus of its own, with its documents' vectors and its topics' similarities; `seed` is
    None where nothing was drawn."""

    name: str
    sampler: str
    seed: int | None
    corpus: Corpus
    vectors: Singles
    space: TopicSpace

    @property
    def key(self) -> str:
        """The sampler and its seed as a folder or an id carries them: hits, random-3."""
        return self.sampler if self.seed is None else f"{self.sampler}-{self.seed}"


def make_setup(
    corpus: Corpus,
    vectors: Singles,
    space: TopicSpace,
    *,
    sampler: str,
    m: int | None = None,
    seed: int = 0,
    policy: str = "cutting",
    threshold: float = 0.0,
) -> Setup:
    """The documents of the sampled topics; the topics left out are dropped, as in the paper (HITS §5.1), or merged
    into sampled ones (`policy`, §7.2): their documents then carry the name of the topic they went to."""
    if sampler not in SAMPLERS:
        raise unknown("sampler", sampler, SAMPLERS)
    check_documents(corpus, space, vectors)
    chosen = SAMPLERS[sampler]
    if not chosen.takes_m:
        return Setup(chosen.label, sampler, None, corpus, vectors, space)
    m = checked_m(len(space) if m is None else m, len(space))
    selected = chosen.selected(space.similarity, m, seed=seed)
    sample = make_sample(space.similarity, selected, policy=policy, threshold=threshold)
    rows, topics = sampled_documents(corpus, sample)
    part = take(corpus, rows)
    if POLICIES[policy].joins is not None:
        part = _relabelled(part, topics)
    drawn = seed if chosen.takes_seed else None
    name = chosen.label + ("" if drawn is None else f" {drawn}") + POLICIES[policy].suffix.format(threshold=threshold)
    own = topic_space(vectors[rows], part.topic_codes, part.topic_names, similarity=space.kind)
    return Setup(name, sampler, drawn, part, vectors[rows], own)


def _relabelled(corpus: Corpus, topics: list[str]) -> Corpus:
    """The same documents under other topics, with a fingerprint of their own."""
    if len(set(topics)) < 2:
        raise SettingError("Merging into one topic leaves nothing to split; keep at least 2 topics.")
    return make_corpus(
        corpus.texts,
        topics,
        authors=corpus.authors,
        ids=corpus.ids,
        splits=corpus.splits,
        vectors=corpus.vectors,
        name=corpus.name,
    )
