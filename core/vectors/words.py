"""Encoders of word counts, fitted on the whole corpus (LSA, LDA, NMF; Sawatphol et al. 2024), and the language of texts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..arrays import Ints, canonical, largest, record, text_digest
from ..corpora import has_terms, without_spaces, word_options
from ..errors import EncoderError, SettingError
from ..formats import counted
from ..progress import tell
from .embed import EncodedBatch

WORD = r"(?u)\b\w\w+\b"
ENOUGH_TERMS = 1_000
STRAY = 0.05  # share of texts with letters of another script below which it is not worth a note
CHUNK = 1_024  # documents of LDA between two progress reports
# The paper's 0.1 comes first; the later steps are for corpora of short texts.
SHARES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
LOOKED_AT = 500  # texts, evenly spaced over the corpus
CHARACTERS = 1_000  # of each
FEWEST_SMALL_WORDS = 0.06  # share of small words from which the language is recognised; lists of keywords have none
NEARLY_ALL = 0.8  # share of texts that makes a language the main one
ENGLISH, UNKNOWN, SEVERAL = "English", "unknown", "in several languages"

# Small words that most texts in a language have and few texts in others.
SMALL_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        ENGLISH: "the and that with this which from are were have has been they their there would will you not but what to of is it",
        "German": "der die das und nicht ist ein eine einen einem einer mit sich auf für von den dem des zu auch als wird sind wurde "
        "werden aber oder noch nach bei aus wie wenn nur über haben hat war im zum zur dass daß ich wir sie",
        "French": "le la les des et est une un dans que qui pour sur pas avec sont plus par ce cette du au aux ne se mais nous vous il "
        "elle ils ont été être leur comme ou où ses son",
        "Spanish": "el la los las que y en un una es por con para del se no lo como más pero sus su al está son fue este esta entre "
        "cuando muy sin sobre también hasta hay donde",
        "Italian": "il lo gli di che e è un una per con non sono del della nel nella dei delle alla da si come più ma anche questo "
        "questa stato essere hanno ha sul dalla",
        "Portuguese": "o os as que e do da dos das em um uma não para com é por no na nos nas mais se como mas ao pelo pela são foi "
        "ser seu sua também está já",
        "Dutch": "de het een en van dat die niet zijn met voor op ook aan er te om maar bij door uit naar wordt werd nog worden dit "
        "deze heeft hij ze wij als dan",
        "Swedish": "och att det som en på är av för med till den har inte om ett men var jag vi från så kan när ut även",
        "Danish or Norwegian": "og at det som en på er af av for med til den har ikke om et men var jeg vi fra så kan når også blev",
        "Polish": "i w na nie się z do to że jest o jak za po od przez co ale tak dla jego był być oraz tym które który są",
        "Czech": "a v na se je že s z do o to i ve za jako by pro jsou po ale jeho jsem také který která od bylo byl",
        "Turkish": "ve bir bu da de için ile çok olarak daha gibi olan en ne kadar sonra var ama o şey değil ya ki her",
        "Finnish": "ja on ei se että oli hän mutta kun tai ovat myös joka niin kuin hänen ollut sen ole sekä",
        "Hungarian": "a az és hogy nem is egy meg de van volt ez már csak el mint vagy azt még ezt ha",
        "Romanian": "și de la în cu nu pe un o care din mai este să se pentru ca sunt au dar fost prin acest",
        "Indonesian or Malay": "yang dan di ini itu dengan untuk dari tidak dalam pada akan adalah ke juga oleh ada karena telah",
        "Vietnamese": "và của là có không được cho một trong với những các người đã này khi để từ đến cũng",
    }.items()
}
# First word of a character's Unicode name → the language of texts in it, or just the script if languages share it.
SHARED_SCRIPTS = {
    "CYRILLIC": "in Cyrillic letters",
    "ARABIC": "in Arabic letters",
    "DEVANAGARI": "in Devanagari letters",
}
SCRIPTS = SHARED_SCRIPTS | {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "ARMENIAN": "Armenian",
    "GEORGIAN": "Georgian",
    "BENGALI": "Bengali",
    "TAMIL": "Tamil",
}

_LETTERS = re.compile(r"[^\W\d_]+")


@record
class WordCounts:
    """Counts of the kept terms: one row per text in the order of `order`, one column per term in alphabetical order."""

    matrix: Any  # scipy.sparse.csr_matrix, typed loosely because scipy is imported only when used
    order: Ints  # row r of `matrix` is text order[r]
    note: str

    @property
    def wordless(self) -> Ints:
        """Return the rows of `matrix` without any kept term."""
        return np.flatnonzero(np.diff(self.matrix.indptr) == 0)


def count_words(
    texts: Sequence[str], *, most_terms: int, max_share: float = 1.0, from_share: float | None = None
) -> WordCounts:
    """Count lower-cased words of two or more letters without stop words, and keep at most `most_terms` of them.

    Stop words are those of English and of the languages of the texts (`small_words`); in scripts without spaces, pairs
    of characters count as words. A term is kept if at most `max_share` and at least min_df of the texts have it. min_df
    starts at `from_share` and falls until ENOUGH_TERMS remain; without `from_share` it is two texts. Terms of a single
    text are kept only if there are hardly any others. The result does not depend on the order of the texts.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    # Sums and random starts depend on the order of rows, so rows are sorted by hash.
    digests = list(map(text_digest, texts))
    order = np.array(sorted(range(len(texts)), key=digests.__getitem__), dtype=np.int64)
    ordered = [texts[row] for row in order]
    stopped = sorted(ENGLISH_STOP_WORDS | small_words(ordered))
    counter = CountVectorizer(stop_words=stopped, dtype=np.int32, **word_options(ordered, WORD))
    if not has_terms(counter, ordered):
        raise EncoderError(
            "No document has a countable word besides stop words and marks. Check which column is the text, or choose the "
            "encoder 'sbert'."
        )
    matrix = counter.fit_transform(ordered)
    held = np.bincount(matrix.indices, minlength=matrix.shape[1])
    most = max(1, int(max_share * len(texts)))
    allowed = held <= most
    if not allowed.any():  # a few texts that share all their words: better those words than none
        most, allowed = len(texts), np.ones_like(allowed)
    least = _least_texts(held[allowed], len(texts), from_share)
    terms = np.flatnonzero(allowed & (held >= least))
    if len(terms) > most_terms:
        totals = np.asarray(matrix.sum(axis=0)).ravel()[terms]
        terms = terms[largest(totals, most_terms)]
    note = f"{counted(len(terms), 'term')} kept: each in at least {least:,} of {len(texts):,} distinct texts and in at most {most:,}."
    if without_spaces(ordered, share=STRAY):
        note += " Where a script has no spaces, pairs of neighbouring characters count as words."
    return WordCounts(matrix[:, terms], order, note)


def _least_texts(held: Ints, texts: int, from_share: float | None) -> int:
    shared = int((held >= 2).sum())
    if shared < min(50, len(held)):
        return 1
    if from_share is not None:
        for share in (step for step in SHARES if step <= from_share):
            least = int(np.ceil(share * texts))
            if least > 2 and (held >= least).sum() >= ENOUGH_TERMS:
                return least
    return 2


@dataclass(frozen=True, slots=True)
class WordEncoder:
    """What LSA, LDA and NMF share: `components` dimensions of word counts, the same for the same seed."""

    components: int = 50
    seed: int = 0

    name: ClassVar[str]
    per_document: ClassVar[bool] = False
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 5_000, "max_share": 0.5, "from_share": 0.1}

    def __post_init__(self) -> None:
        if self.components < 2:
            raise SettingError(f"{self.name.upper()} with {counted(self.components, 'component')}. Choose 2 or more.")

    def key(self) -> str:
        return canonical(self.name, 2, **asdict(self))

    def counts(self, texts: Sequence[str]) -> WordCounts:
        """Return the words that this encoder sees."""
        return count_words(texts, **self.vocabulary)

    def describe(self, texts: Sequence[str]) -> tuple[str, ...]:
        counts = self.counts(texts)
        empty = len(counts.wordless)
        if not empty:
            return (counts.note,)
        return (
            counts.note,
            f"{counted(empty, 'distinct text', 'holds', 'hold')} none of these terms and {'gets' if empty == 1 else 'get'} a zero vector.",
        )


@dataclass(frozen=True, slots=True)
class Lsa(WordEncoder):
    """Encode by TF-IDF with sublinear counts, then U·S of a truncated SVD (Deerwester et al. 1990)."""

    components: int = 100

    name: ClassVar[str] = "lsa"
    vocabulary: ClassVar[Mapping[str, Any]] = {"most_terms": 50_000}

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.utils.extmath import randomized_svd

        tell(1, 4, "counting words")
        counts = self.counts(texts)
        tell(2, 4, "weighting words")
        weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts.matrix.astype(np.float32))
        tell(3, 4, f"finding {self.components} dimensions")
        left, scale, _ = randomized_svd(weights, min(self.components, *weights.shape), random_state=self.seed)
        vectors = (left * scale).astype(np.float32)
        vectors[counts.wordless] = 0.0  # not the direction of a rounding error
        yield counts.order, vectors


@dataclass(frozen=True, slots=True)
class Nmf(WordEncoder):
    """Encode by the non-negative W of X ≈ W·H, X the TF-IDF matrix (Sawatphol et al. 2024)."""

    name: ClassVar[str] = "nmf"

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.decomposition import NMF
        from sklearn.feature_extraction.text import TfidfTransformer

        tell(1, 4, "counting words")
        counts = self.counts(texts)
        tell(2, 4, "fitting components")
        weights = TfidfTransformer().fit_transform(counts.matrix.astype(np.float32))
        size = min(self.components, *weights.shape)
        model = NMF(size, init="nndsvd" if size > 1 else "random", random_state=self.seed, max_iter=200, tol=1e-3)
        with np.errstate(
            invalid="ignore"
        ):  # sklearn takes the root of a perfect fit's rounding error, which may be negative
            parts = model.fit_transform(weights)
        yield counts.order, parts.astype(np.float32)


@dataclass(frozen=True, slots=True)
class Lda(WordEncoder):
    """Encode by expected topic proportions from word presence, learned online (Hoffman et al. 2010)."""

    passes: int = 5

    name: ClassVar[str] = "lda"

    def __post_init__(self) -> None:
        if self.components < 2 or self.passes < 1:
            raise SettingError("LDA needs 2 or more components and 1 or more passes.")

    def batches(self, texts: Sequence[str]) -> Iterator[EncodedBatch]:
        from sklearn.decomposition import LatentDirichletAllocation

        counts = self.counts(texts)
        present = (counts.matrix > 0).astype(np.float32)
        chunks = [slice(start, start + CHUNK) for start in range(0, present.shape[0], CHUNK)]
        model = LatentDirichletAllocation(
            self.components, learning_offset=50.0, batch_size=256, total_samples=len(texts), random_state=self.seed
        )
        nothing = np.empty(0, dtype=np.int64), np.empty((0, self.components), dtype=np.float32)
        for _ in range(self.passes):
            for chunk in chunks:
                model.partial_fit(present[chunk])
                yield nothing  # lets a long fit be stopped
        # Without words the model returns its prior, which is similar to every mixed document.
        known = np.ones(len(texts), dtype=np.float32)
        known[counts.wordless] = 0.0
        for chunk in chunks:
            yield counts.order[chunk], model.transform(present[chunk]).astype(np.float32) * known[chunk, None]


@record
class Languages:
    """The languages that texts seem to be in."""

    texts: Mapping[str, int]  # language → number of texts, most frequent first; UNKNOWN if it was not recognised

    @property
    def main(self) -> str | None:
        """Return the language of nearly all texts, or None; words of no language may look like one in some of them."""
        first = max(self.texts, key=self.texts.__getitem__, default=UNKNOWN)
        clear = first != UNKNOWN and self.texts[first] >= NEARLY_ALL * sum(self.texts.values())
        return first if clear else None

    @property
    def mostly(self) -> str | None:
        """Return the main language if more than half of the texts are not English, else None.

        Texts of unknown language count for neither side.
        """
        told = {language: count for language, count in self.texts.items() if language != UNKNOWN}
        total = sum(told.values())
        if total <= sum(self.texts.values()) / 2 or told.get(ENGLISH, 0) >= total / 2:
            return None
        first = next(language for language in told if language != ENGLISH)
        return first if told[first] > total / 2 else SEVERAL


def languages_of(texts: Sequence[str]) -> Languages:
    """Guess the languages of at most 500 texts, evenly spaced."""
    step = max(1, len(texts) // LOOKED_AT)
    counts = Counter(language_of(text) for text in texts[::step][:LOOKED_AT])
    return Languages(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))


def language_of(text: str) -> str:
    """Guess the language of a text by its script or, in Latin letters, by its small words."""
    start = text[:CHARACTERS]
    letters: Counter[str] = Counter()
    for letter, times in Counter("".join(_LETTERS.findall(start))).items():
        letters[_script(letter)] += times
    if not letters:
        return UNKNOWN
    if letters["Japanese"] > 0.1 * letters.total():  # most letters of a Japanese text may be Han
        return "Japanese"
    script, count = letters.most_common(1)[0]
    if script != "LATIN" and count > letters.total() / 2:
        return script if script in SCRIPTS.values() else UNKNOWN
    words = _LETTERS.findall(start.lower())
    hits = {language: sum(word in small for word in words) for language, small in SMALL_WORDS.items()}
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] > FEWEST_SMALL_WORDS * len(words) else UNKNOWN


@lru_cache(maxsize=4_096)
def _script(letter: str) -> str:
    first = unicodedata.name(letter, "?").split()[0]
    return SCRIPTS.get(first, first)


def language_advice(texts: Sequence[str], encoder: str) -> str | None:
    """Return advice on these texts for an English-only encoder, or None if they are English or unknown."""
    language = languages_of(texts).mostly
    if language is None:
        return None
    one = language not in (*SHARED_SCRIPTS.values(), SEVERAL)
    return (
        f"Most texts look {'to be ' if one else ''}{language}, and {encoder}'s model reads English: choose "
        "LSA, which counts the words of any language, or a multilingual model as 'Another model'."
    )


def small_words(texts: Sequence[str]) -> frozenset[str]:
    """Return the small words of these texts' languages without English, for which scikit-learn has a longer list."""
    shares = languages_of(texts).texts
    least = 0.05 * sum(shares.values())
    mine = [SMALL_WORDS[language] for language, count in shares.items() if count > least and language in SMALL_WORDS]
    return frozenset().union(*(words for words in mine if words is not SMALL_WORDS[ENGLISH]))
