"""Overview: the verdict of every level in words, its numbers, topics that cannot be compared, and filters."""

from dataclasses import replace

import numpy as np
import pytest

from core.corpora import make_corpus, take
from core.demo import bundled_corpus, bundled_vectors
from core.vectors import make_encoder
from pages.parts import overview as parts
from pages.shared import studies
from tests.pages.opened import all_text, figure, links, metrics, open_app, press, shown_page, upload
from tests.pages.topics import made_csv, sized


def overview_of(content: bytes):
    app = press(upload(("made.csv", content)), "Use this corpus")
    app.switch_page("pages/overview.py").run()
    assert not app.exception, app.exception
    return app


def said(app) -> str:
    """The page's own words, without the formulas and the paragraph that are the same for every corpus."""
    formulas = next(each.value for each in app.markdown if each.value.startswith("### "))
    return all_text(app).replace(formulas, "").replace("how often a split by topic would part near twins", "")


def test_overview_judges_the_bundled_corpus():
    app = shown_page()
    shown = metrics(app)
    assert app.subheader[0].value.startswith(":red[:material/warning:] Yes")
    assert "about 15 of 24 topics" in app.subheader[0].value
    large, *cards = shown
    assert (large, shown[large]) == ("Tested beside a near twin", "15 of 24")
    assert cards[:3] == ["Random split", "Topic k-fold", "Expect on new topics"], "three cards in the first row"
    words = figure(app, "twins")
    assert [note["text"] for note in words["layout"]["annotations"]] == ["<b>clinics</b>", "<b>hospitals</b>"]
    assert not words["layout"]["showlegend"] and "patients" in words["layout"]["yaxis"]["ticktext"]
    assert [metric.delta for metric in app.metric][1:3] == ["accuracy, Word SVM"] * 2, "the model is named"
    words = said(app).replace("\\", "").replace("*", "")
    assert "Near-twin pairs" not in words, "the headline and its lines have said it"
    for line in (":red[:material/warning:] Similarity.", ":red[:material/warning:] Cost.", "LSA finds no near twins"):
        assert line in words
    assert "Least-leakage folds lose no document" in words and "HITS with 14 topics loses 716 of 1,500" in words
    assert "HITS would keep" in said(app)


def test_the_closest_documents_are_searched_once_for_all_visitors(monkeypatch):
    searched, search = [], parts.closest_documents
    monkeypatch.setattr(
        parts, "closest_documents", lambda *given, **more: (searched.append(1), search(*given, **more))[1]
    )
    for _ in range(2):
        app = open_app()
        assert "clinics" in all_text(app)
    assert len(searched) <= 1, "a class that opens the page together shares the search"


def test_the_two_texts_shown_are_long_enough_to_compare():
    texts = ["Thanks!", "Many thanks!", "long " * 50, "also long " * 50]
    corpus = make_corpus(texts, ["a", "b", "a", "b"])
    assert parts.texts_to_show(corpus, np.array([0, 2]), np.array([1, 3])) == (2, 3)
    assert parts.texts_to_show(corpus, np.array([0]), np.array([1])) == (0, 1), "the closest, where none is long"


@pytest.mark.parametrize(
    ("content", "lead"),
    [
        (made_csv(sized(8, 12)), ":violet[:material/help:] No near twins"),
        (made_csv(sized(12, 12), sisters={"ta": "tb"}), ":orange[:material/error:] In places"),
        (made_csv(sized(6, 12), sisters={"ta": "tb", "tc": "td"}), ":red[:material/warning:] Yes"),
    ],
    ids=["clear", "some", "leaks"],
)
def test_each_level_has_its_words_and_colour(content, lead):
    app = overview_of(content)
    assert app.subheader[0].value.startswith(lead)
    assert "near twin" in said(app)


@pytest.mark.parametrize("documents", [3, 20])
def test_shuffled_labels_are_called_meaningless_and_nothing_is_recommended(documents):
    app = overview_of(made_csv(sized(8, documents), shuffled=True))
    assert app.subheader[0].value.startswith(":violet[:material/help:] The labels do not separate these texts")
    assert set(metrics(app)) == {"Typical similarity", "With shuffled labels"}
    assert not [slider for slider in app.slider if slider.label.startswith("Folds")], "folds change nothing here"
    words = "\n".join(line for line in said(app).splitlines() if not line.startswith("- **"))  # less the header's terms
    assert "twin" not in words and ":green" not in words and "HITS would keep" not in words
    assert "which column is the topic" in said(app)
    assert "Check the topic column" in links(app) and "Choose how many topics to keep" not in links(app)
    drawn = figure(app, "histogram")
    assert all("twin" not in note["text"] for note in drawn["layout"]["annotations"])


def test_three_documents_a_topic_are_enough_where_topics_are_apart():
    assert "No near twins" in overview_of(made_csv(sized(8, 3))).subheader[0].value


def test_topics_that_have_too_few_documents_are_listed_with_the_reason():
    app = overview_of(made_csv(sized(6, 8) | {"lonely": 1}))
    assert "1 of 7 topics (1 document) has too few documents" in said(app).replace("\\", "")
    assert [each.label for each in app.expander if "too few documents" in each.label]
    table = next(each.value for each in app.dataframe if "reason" in each.value)
    assert table.iloc[0].to_dict()["topic"] == "lonely"
    assert "one document" in table.iloc[0]["reason"]


def test_where_no_two_topics_can_be_placed_the_page_says_so_and_plain_similarity_helps():
    app = overview_of(made_csv({"ta": 1, "tb": 1, "tc": 1}))
    assert "No two topics can be compared" in app.subheader[0].value
    assert metrics(app) == {"Typical similarity": "–"}
    app.selectbox(key="similarity").set_value("plain").run()
    assert not app.exception
    assert metrics(app)["Typical similarity"] != "–"


@pytest.mark.parametrize(
    ("switch", "axis"), [("corrected for topic size", "corrected similarity"), ("plain, as in the paper", "cosine of")]
)
def test_the_similarity_current_is_named_on_axes_and_below(switch, axis):
    app = shown_page(similarity=switch)
    assert figure(app, "histogram")["layout"]["xaxis"]["title"]["text"].startswith(axis)
    assert f"Similarity of topics: {switch}." in all_text(app)


def test_filters_that_leave_too_little_say_so():
    app = shown_page("overview", min_docs="5000")
    assert any("Lower the minimum" in error.value for error in app.error)


def test_while_documents_are_encoded_nothing_is_said_of_the_cost(monkeypatch):
    rows = np.arange(0, 1_500, 5)
    whole = bundled_vectors(bundled_corpus(), make_encoder("sbert"))
    some = replace(whole, matrix=whole.matrix[rows])
    monkeypatch.setattr(studies.state, "so_far_or_stop", lambda corpus: (take(corpus, rows), some))
    app = open_app()
    assert not app.exception and "Tested beside a near twin" in metrics(app)
    assert not {"Random split", "Cost of leakage"} & {*metrics(app)} and "Cost." not in all_text(app)


def test_two_encoders_stand_side_by_side_and_the_link_keeps_the_choice():
    app = shown_page(compare_with="another encoder", compare_encoder="LSA")
    assert app.selectbox(key="compare_with").value == "encoder" and app.selectbox(key="compare_encoder").value == "lsa"
    table = next(each.value for each in app.dataframe if "SBERT" in each.value and "" in each.value)
    rows = table.set_index("")
    assert rows.loc["near-twin pairs", "SBERT"] == "12" and rows.loc["documents", "LSA"] == "1,500"
    assert "Both views give" in said(app) or "The answer is" in said(app)
    assert "Kept in both" in said(app)
    twins = next(each.value for each in app.dataframe if "near twins with" in each.value)
    assert set(twins["near twins with"]) <= {"both", "SBERT", "LSA"}
    assert figure(app, "two_views")["layout"]["xaxis"]["title"]["text"].endswith("SBERT")


def test_a_filter_that_changes_nothing_shows_no_difference_and_one_that_leaves_nothing_says_so():
    app = open_app(compare_with="another filter", compare_value="1")
    assert "the same 12 near-twin pairs" in said(app).replace("\\", "")
    app.number_input(key="compare_value").set_value(90_000).run()
    assert any("Lower the minimum" in error.value for error in app.error)
    assert "Random split" in metrics(app), "the page's own answer stays"


def test_a_corpus_that_is_not_loaded_is_named_with_the_way_to_it():
    app = shown_page(compare_with="another corpus", compare_corpus="20 Newsgroups")
    assert any("20 Newsgroups is not loaded" in info.value for info in app.info)
    assert "Go to Corpus to load it" in links(app)


def test_another_corpus_is_compared_by_the_names_of_topics():
    app = overview_of(made_csv(sized(6, 12), sisters={"ta": "tb"}))
    app.selectbox(key="compare_with").set_value("corpus").run()
    app.selectbox(key="compare_corpus").set_value("courier").run()
    assert not app.exception
    assert "Fewer than two topics have the same name" in said(app)


def test_shuffled_labels_have_no_near_twins_to_compare():
    app = overview_of(made_csv(sized(8, 3), shuffled=True))
    app.selectbox(key="compare_with").set_value("filter").run()
    app.number_input(key="compare_value").set_value(2).run()
    assert "there are no near twins to compare" in said(app) and "topics of HITS" not in said(app)
