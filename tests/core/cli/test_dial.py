"""The command dial writes the corpus that core makes."""

from core.__main__ import main
from core.corpora import dial_corpus
from core.corpora.readers import read_corpus
from tests.core.command_runs import answered


def test_dial_writes_the_corpus_that_core_makes(capsys, tmp_path):
    file = tmp_path / "made.csv"
    answer, _ = answered(capsys, "dial", "--shared", "0.8", "--loyal", "0.4", "--seed", "2", "--out", str(file))
    assert (answer["documents"], answer["topics"], answer["authors"]) == (960, 32, 16)
    made, read = dial_corpus(shared=0.8, loyal=0.4, seed=2), read_corpus(file)
    assert (read.texts, read.topics, read.authors) == (made.texts, made.topics, made.authors)
    assert main(["dial", "--shared", "1.2", "--out", str(file), "--json"]) == 2
    assert "Choose a share between 0 and 1" in capsys.readouterr().err
    assert main(["dial", "--out", str(tmp_path / "no" / "folder.csv"), "--json"]) == 2
    assert "--out" in capsys.readouterr().err
