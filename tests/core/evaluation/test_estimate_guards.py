"""What a corpus must have: two authors for models, four topics for samples; page and report refuse in the same words."""

import pytest

from core.errors import SettingError
from core.evaluation import need_authors, need_topics
from core.evaluation.run import SAMPLED_FROM
from tests.core.made_corpora import made, report_of
from tests.pages.opened import press, upload


@pytest.mark.parametrize(("authors", "known"), [(0, "no authors"), (1, "only one author")])
def test_models_need_two_authors(authors, known):
    with pytest.raises(SettingError, match=f"This corpus has {known}. Models need two or more"):
        need_authors(made(authors=authors))
    need_authors(made(authors=2))


def test_samples_need_four_topics():
    assert need_topics(made(SAMPLED_FROM)) == 4
    with pytest.raises(SettingError, match="four topics or more"):
        need_topics(made(SAMPLED_FROM - 1))


def test_page_and_report_refuse_in_the_same_words(tmp_path, monkeypatch):
    monkeypatch.setenv("LEAKSCOPE_CACHE", str(tmp_path))
    corpus = made(SAMPLED_FROM - 1)
    with pytest.raises(SettingError, match="Ranking: ") as refused:
        report_of(corpus, pages=["ranking"])
    reason = str(refused.value).partition("Ranking: ")[2]
    rows = ["text,topic,author", *map(",".join, zip(corpus.texts, corpus.topics, corpus.authors, strict=True))]
    app = press(upload(("c.csv", "\n".join(rows).encode())), "Use this corpus")
    app.switch_page("pages/ranking.py").run()
    assert not app.exception and [each.value for each in app.error] == [reason]
