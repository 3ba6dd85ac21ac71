"""Every habit on record can be measured in what its author wrote."""

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import spearmanr
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

DATA = Path(__file__).parent.parent.parent / "data"

SHORT = re.compile(r"n't\b|\b(?:[Ii]t|[Tt]here|[Tt]hat)'s\b|\b(?:[Tt]hey|[Ww]e|[Yy]ou)'re\b|\bI'm\b")
LONG = re.compile(
    r"\b(?:do|does|did|is|are|was|were|has|have|had|would|could|should|will) not\b|\bcannot\b|"
    r"\b(?:[Ii]t|[Tt]here|[Tt]hat) is(?= [a-z])|\b(?:[Tt]hey|[Ww]e|[Yy]ou) are(?= [a-z])|\bI am(?= [a-z])"
)
# Choice points whose variants mean nothing else in this corpus.
MEASURABLE = ["while", "among", "towards", "for example", "perhaps", "often", "sometimes", "for now", "until"]
# American forms that are also British words of another meaning.
AMBIGUOUS = {
    "story",
    "stories",
    "tire",
    "tires",
    "curb",
    "curbs",
    "learned",
    "burned",
    "draft",
    "drafts",
    "program",
    "programs",
}


def planted(truth: dict, habit: str) -> dict:
    return {author: habits[habit] for author, habits in truth["habits"].items()}


def per_document(pages: dict[str, list[str]], pattern: str) -> dict[str, float]:
    return {
        author: sum(len(re.findall(pattern, text)) for text in texts) / len(texts) for author, texts in pages.items()
    }


def test_contraction_rates(pages: dict, truth: dict) -> None:
    rates = planted(truth, "contractions")
    measured = {}
    for author, texts in pages.items():
        short, long = (sum(len(pattern.findall(text)) for text in texts) for pattern in (SHORT, LONG))
        measured[author] = short / (short + long)
        assert measured[author] == pytest.approx(rates[author], abs=0.12), author
    assert spearmanr([rates[a] for a in pages], [measured[a] for a in pages]).statistic > 0.95


def test_spelling(pages: dict, truth: dict, language: dict) -> None:
    for group, table in language["spelling"].items():
        british = {old for old, new in table.items() if old != new}
        american = {new for old, new in table.items() if old != new} - AMBIGUOUS
        seen = Counter()
        for author, texts in pages.items():
            words = Counter(re.findall(r"[a-z]+", " ".join(texts).lower()))
            is_american = group in truth["habits"][author]["american"]
            assert not sum(words[word] for word in (british if is_american else american)), (author, group)
            seen[is_american] += sum(words[word] for word in british | american)
        assert min(seen[True], seen[False]) >= 20, group


def test_favourite_variants(pages: dict, truth: dict, language: dict) -> None:
    checked = 0
    for author, texts in pages.items():
        text = " ".join(texts).lower()
        for point in MEASURABLE:
            counts = {v: len(re.findall(rf"\b{v}\b", text)) for v in language["choices"][point]}
            favourite = truth["habits"][author]["favours"][point]
            if sum(counts.values()) >= 30:
                checked += 1
                assert counts[favourite] == max(counts.values()), (author, point, counts)
    assert checked >= 25


def test_quotation_marks(pages: dict, truth: dict) -> None:
    for author, mark in planted(truth, "quote_mark").items():
        double = sum('"' in text for text in pages[author])
        assert double == (len(pages[author]) if mark == '"' else 0), author


def test_comma_inside_or_outside_the_quotation(pages: dict, truth: dict) -> None:
    for author, inside in planted(truth, "comma_inside").items():
        mark = truth["habits"][author]["quote_mark"]
        text = " ".join(pages[author])
        assert (f",{mark} " in text, f"{mark}, " in re.sub(r"s', ", "s ", text)) == (inside, not inside), author


def test_attribution(pages: dict, truth: dict) -> None:
    according = per_document(pages, r"['\"],? according to ")
    leading = per_document(pages, r": ['\"]")
    for manner, measured in (("according", according), ("lead in", leading)):
        fans = {author for author, favourite in planted(truth, "attribution").items() if favourite == manner}
        assert min(measured[a] for a in fans) > max(measured[a] for a in measured if a not in fans), manner


def test_people_named_again(pages: dict, truth: dict) -> None:
    titles = per_document(pages, r"\b(?:Mr|Mrs|Ms) [A-Z]")
    for author, manner in planted(truth, "later_mention").items():
        assert (titles[author] > 0) == (manner == "title"), author


def test_number_style(pages: dict, truth: dict) -> None:
    below = planted(truth, "number_words_below")
    ones = per_document(pages, r"(?<![\d,])[2-9](?![\d,])")
    tens = per_document(pages, r"(?<![\d,])[1-9]\d(?![\d,])")
    for author, limit in below.items():
        assert (ones[author] > 0.5) == (limit <= 2), author
        assert (tens[author] > 0.5) == (limit <= 10), author


def test_aside_marks(pages: dict, truth: dict) -> None:
    marks = planted(truth, "aside_marks")
    for author, dashes in per_document(pages, " — ").items():
        assert (dashes > 0.3) == (marks[author] == "dash"), author
    for author, brackets in per_document(pages, r" \(").items():
        assert (brackets > 0.3) == (marks[author] == "parentheses"), author


def test_serial_comma(pages: dict, truth: dict) -> None:
    """Lists are known by the plain word before the place where the comma may stand."""
    material = " ".join(path.read_text(encoding="utf-8") for path in sorted((DATA / "material").glob("*.json")))
    words = "|".join(sorted(set(re.findall(r", (?:\w+ )?([a-z]{4,})<,> and", material))))
    for author, serial in planted(truth, "serial_comma").items():
        text = " ".join(pages[author])
        with_comma = len(re.findall(rf"\w, (?:an? |the )?(?:\w+ )?(?:{words}), and ", text))
        without = len(re.findall(rf"\w, (?:an? |the )?(?:\w+ )?(?:{words}) and ", text))
        assert (with_comma > without) == serial, (author, with_comma, without)


def test_long_and_short_winded(courier: pd.DataFrame, truth: dict) -> None:
    """Words a sentence, against the mean of the topic: some topics have longer sentences than others."""
    lengths = courier["text"].str.split().str.len() / courier["text"].str.count(r"[.!?]['\"]?(?: |$)")
    relative = (lengths / lengths.groupby(courier["topic"]).transform("mean")).groupby(courier["author"]).mean()
    joiners = [author for author, rate in planted(truth, "join").items() if rate >= 0.3]
    splitters = [author for author, rate in planted(truth, "split").items() if rate >= 0.7]
    assert relative[joiners].mean() > relative[splitters].mean() + 0.05
    assert relative[joiners].min() > relative[splitters].max()


@pytest.mark.parametrize(
    ("habit", "phrases"), [("opener_rate", "openers"), ("tail_rate", "tails"), ("colon", "colon openers")]
)
def test_rates_of_flourishes(pages: dict, truth: dict, language: dict, habit: str, phrases: str) -> None:
    start = r"[.!?]['\"]? " if phrases == "openers" else ""
    rates = planted(truth, habit)
    measured = per_document(pages, start + "(?:" + "|".join(re.escape(phrase) for phrase in language[phrases]) + ")")
    assert spearmanr([rates[a] for a in pages], [measured[a] for a in pages]).statistic > 0.6


def test_speakers_by_name(pages: dict, truth: dict) -> None:
    rates = planted(truth, "named_speakers")
    measured = per_document(pages, r"[A-Z][a-z]+ [A-Z][a-z]+, (?:the|an?|one) ")
    assert spearmanr([rates[a] for a in pages], [measured[a] for a in pages]).statistic > 0.6


def test_verbs_of_saying(pages: dict, truth: dict) -> None:
    for verb in ("says", "reckons", "explained", "remarked", "told the Courier"):
        measured = per_document(pages, rf"['\"],? (?:[^.'\"]* )?{verb}\b|\b{verb}: ['\"]")
        users = {author for author, own in planted(truth, "attribution_verb").items() if own == verb}
        assert min(measured[a] for a in users) > max(measured[a] for a in measured if a not in users), (verb, measured)


def test_per_cent(pages: dict, truth: dict) -> None:
    for author, style in planted(truth, "percent").items():
        text = " ".join(pages[author])
        assert style in text
        assert {"per cent": "percent", "percent": "per cent"}[style] not in text, author


def test_semicolons_join_where_planted(pages: dict, truth: dict) -> None:
    wanted = {a: h["join"] if h["join_with"] == "; " else 0 for a, h in truth["habits"].items()}
    measured = per_document(pages, "; ")
    assert spearmanr([wanted[a] for a in pages], [measured[a] for a in pages]).statistic > 0.9
    assert all(measured[author] == 0 for author, rate in wanted.items() if rate == 0)


def test_exclamations(pages: dict, truth: dict) -> None:
    rates, measured = planted(truth, "exclamation"), per_document(pages, "!")
    assert spearmanr([rates[a] for a in pages], [measured[a] for a in pages]).statistic > 0.9


def test_first_person(pages: dict, truth: dict, language: dict) -> None:
    full = "|".join(language["frames"])
    frames = (
        full.replace("I am", "I(?: am|'m)").replace("I have", "I(?: have|'ve)").replace("I would", "I(?: would|'d)")
    )
    rates, measured = planted(truth, "first_person"), per_document(pages, f"(?:{frames})")
    assert all((measured[author] > 0) == (rates[author] > 0) for author in pages), measured
    assert spearmanr([rates[a] for a in pages], [measured[a] for a in pages]).statistic > 0.9


def test_signoffs(pages: dict, truth: dict, language: dict) -> None:
    # Contractions may have shortened them, so a sign-off is known by its last two words.
    ends = tuple(" ".join(phrase.rstrip(".").split()[-2:]) for phrase in language["signoffs"])
    for author, rate in planted(truth, "signoff_rate").items():
        share = sum(text.rstrip(".!").endswith(ends) for text in pages[author]) / len(pages[author])
        assert share == pytest.approx(rate, abs=0.14), author


def test_favourite_openers(pages: dict, truth: dict, language: dict) -> None:
    for author, openers in planted(truth, "openers").items():
        text = " ".join(pages[author])
        counts = Counter(
            {opener: len(re.findall(rf"[.!?]['\"]? {re.escape(opener)} ", text)) for opener in language["openers"]}
        )
        assert sum(counts[opener] for opener in openers) > 0.5 * counts.total(), author


def test_style_carries_over_to_unseen_families(courier: pd.DataFrame, family_of: dict) -> None:
    """Character n-grams name the author of unseen families well above chance, and not always."""
    unseen = courier["topic"].map(family_of).isin(["food", "rails", "computing", "volcanoes"])
    ngrams = TfidfVectorizer(
        analyzer="char", ngram_range=(3, 4), lowercase=False, sublinear_tf=True, max_features=10_000
    )
    model = LinearSVC().fit(ngrams.fit_transform(courier.loc[~unseen, "text"]), courier.loc[~unseen, "author"])
    accuracy = model.score(ngrams.transform(courier.loc[unseen, "text"]), courier.loc[unseen, "author"])
    assert 0.6 <= accuracy <= 0.95
