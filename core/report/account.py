"""How a report was computed, for a methods section: a paragraph a subject, and the works they rest on."""

from collections.abc import Sequence

from ..vectors import ENCODERS
from .subject import Subject

_SIMILARITY = {
    "corrected": "How alike two topics are is the mean cosine of a document of one and a document of the other, relative to that "
    "of two documents within each, so that topics of few documents do not look distinct for being small (corrected "
    "similarity; 1: the two are one topic).",
    "plain": "How alike two topics are is the cosine of their centroids, as in Sawatphol et al. (2024); centroids of few "
    "documents lie far from everything, which makes small topics look distinct.",
}
_PAGES = {
    "corpus": "Counts and warnings are of the documents as they took part, after cleaning and filters; each warning has a code "
    "that stays the same from version to version.",
    "overview": "Two topics are near twins where they are nearer to being one topic than to being a typical pair: at or past the "
    "middle between the median similarity of all pairs and 1. They are so beyond doubt where both centroids are more signal "
    "than noise and the whole 95 % interval of the pair, from draws with replacement of the documents within every topic "
    "(Efron 1979), lies there. Before that the labels themselves are tried: where the median pair is no less alike than in 99 "
    "shuffles of the labels, topics mean nothing in these vectors, and that is the answer.",
    "topic_map": "The map is for the eye only. The words that two topics share are weighed by class-based TF-IDF (Grootendorst "
    "2022). A topic's leakage is the mean times the maximum of its similarities to all others.",
    "hits": "HITS (Sawatphol et al. 2024) takes first the topic with the lowest mean similarity to all others, then always the "
    "topic whose mean times maximum similarity to those taken is lowest; the first m of this path are the sample of m topics. "
    "Chance is random samples of as many topics; how sure a choice is, draws of every topic's documents tell.",
    "design": "Ways to split are measured alike: each is a partition of topics into folds, with the similarity of every training "
    "and test topic. Least-leakage folds are found by integer programming.",
    "split": "The given split is judged by its topics, by near duplicates (shared sequences of three words) and by how much of "
    "each test document's similarity to its nearest documents crosses into training, beside what a random split of the same "
    "sizes would let cross.",
    "accuracy": "Every model was fitted on the training side of every fold and asked about the test side. Scores are means over "
    "folds weighted by documents, with the standard error of a weighted mean. The relation of score and similarity is Spearman's "
    "ρ over test topics, p after Holm's correction (1979) for the number of models. What 0.1 of similarity is worth is a "
    "regression of right answers over test topics, an effect of every author taken out.",
    "swap": "Every test topic was asked about twice, trained on all other topics but its nearest: once with documents of that nearest "
    "topic, once with as many by the same authors from the less similar half. What the twin buys is the difference, its mean over "
    "topics with an interval by resampling topics (Hesterberg 2015), and a sign test over topics.",
    "together": "An effect of every author and the number of the author's training documents were taken out of every answer; what is "
    "left was averaged by test topic and regressed on the similarity of the nearest training topic, weighted by the root of the "
    "number of answers.",
    "ranking": "The same models were run on the topics HITS keeps and on random samples of as many. Stability is the mean Spearman "
    "ρ between the rankings of two folds (Sawatphol et al. 2024), its interval a jackknife over folds.",
    "shortcut": "The topic shortcut test (Sawatphol et al. 2024) sets a model's score on the topics HITS keeps beside its score on "
    "random samples; a control made to lean on topic shows whether the test could see that here. Readings follow the 95 % "
    "interval of the difference.",
    "significance": "Every topic counts alike: A is better where the exact two-sided sign test over topics gives p ≤ .05, and "
    "equivalent where both differ by less than the margin at .05. Tests over single decisions are given with how often they "
    "err on this run, because decisions of one topic are not independent (Yang and Liu 1999; Nadeau and Bengio 2003).",
    "trust": "How alike errors are within topics is measured as φ and turned into a design effect and the Type I error to expect, "
    "with a simulation by random signs beside the formula (Neville et al. 2012).",
    "groups": "Two simulated classifiers, equally good, err in groups; resampled as often as said, each test was counted by how often it "
    "calls them different (Neville et al. 2012). These simulations are of no corpus.",
    "networks": "Two relational classifiers were made equally good on networks by handicapping the better one, and each test was counted by "
    "how often it calls them different on resamples (Neville et al. 2012). Networks are not the corpus of this report.",
}
_WORKS = {
    "hits": "J. Sawatphol, C. Udomcharoenchaikit and S. Nutanong. Addressing Topic Leakage in Cross-Topic Evaluation for Authorship "
    "Verification. Transactions of the ACL 12, 2024. doi:10.1162/tacl_a_00709.",
    "bootstrap": "B. Efron. Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 7, 1979.",
    "expanded": "T. C. Hesterberg. What Teachers Should Know About the Bootstrap. The American Statistician 69, 2015.",
    "terms": "M. Grootendorst. BERTopic: Neural Topic Modeling with a Class-Based TF-IDF Procedure. 2022.",
    "novel": "A. I. Schein, J. F. Caver, R. J. Honaker and C. H. Martell. Author Attribution Evaluation with Novel Topic "
    "Cross-Validation. KDIR 2010.",
    "holm": "S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6, 1979.",
    "tests": "Y. Yang and X. Liu. A Re-examination of Text Categorization Methods. SIGIR 1999.",
    "corrected": "C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning 52, 2003.",
    "trust": "J. Neville, B. Gallagher, T. Eliassi-Rad and T. Wang. Correcting Evaluation Bias of Relational Classifiers with Network "
    "Cross Validation. Knowledge and Information Systems 30, 2012.",
}
_CITED = {
    "overview": ("bootstrap",),
    "topic_map": ("terms",),
    "accuracy": ("novel", "holm"),
    "significance": ("tests", "corrected"),
    "swap": ("expanded",),
    "trust": ("trust",),
    "groups": ("trust",),
    "networks": ("trust",),
}


def account(subject: Subject, pages: Sequence[str]) -> tuple[str, ...]:
    """What was done, in the order in which it was: vectors, similarity, then what each page computed."""
    kind = ENCODERS[subject.vectors.name]
    notes = " ".join(subject.vectors.notes)
    return (
        f"Documents became vectors by {kind.label}: {kind.about} {notes}".strip(),
        _SIMILARITY[subject.kind],
        *(_PAGES[page] for page in pages),
        "Nothing random was left to the clock: every draw has the seed that stands with its page's settings, or 0.",
    )


def references(subject: Subject, pages: Sequence[str]) -> tuple[str, ...]:
    """The works that the account cites: HITS first, then the encoder's, the pages' and the models'."""
    cited = (_WORKS[work] for page in pages for work in _CITED.get(page, ()))
    every = (_WORKS["hits"], ENCODERS[subject.vectors.name].reference, *cited, *subject.cited)
    return tuple(dict.fromkeys(filter(None, every)))
