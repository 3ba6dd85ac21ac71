"""Folds & accuracy: ordinary folds beside unseen topics, every measure and every topic by its authors."""

from tests.pages.opened import all_text, open_app


def test_both_tables_of_the_paper_are_there_for_any_corpus():
    app = open_app("accuracy", ordinary="true")
    assert not app.error
    said = all_text(app).replace("\\", "")
    assert "training sets differ" in said, "the paper's warning stays beside it"
    assert "one author in insurance and softball" in said
    measures = next(each.value for each in app.dataframe if "unseen: average" in each.value.columns)
    assert {"ordinary: sd", "unseen: sd", "unseen: se", "unseen: count as"} <= set(measures.columns)
    topics = next(each.value for each in app.dataframe if "largest author's share" in each.value.columns)
    assert len(topics) == 24 and "by Agnes Thirlby" in topics.columns
    assert {"Measures as CSV", "Topics by authors as CSV"} <= {
        button.proto.label for button in app.get("download_button")
    }
