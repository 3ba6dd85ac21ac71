"""Several topics a document: spellings; files and refusals are in tests/core/studies/test_categorization.py."""

from core.corpora import make_labelled


def test_spellings_that_look_the_same_are_one_topic_and_it_is_said():
    topics = [["cafe\u0301", "b"], ["caf\u00e9"], ["cafe\u0301"]]
    corpus = make_labelled(["x", "y", "z"], topics, ["train", "train", "test"])
    assert corpus.categories == ("b", "caf\u00e9")
    assert corpus.labels.tolist() == [[True, True], [False, True], [False, True]]
    assert len(corpus.notes) == 1 and corpus.notes[0].startswith("1 topic(s) in two spellings")
    assert make_labelled(["x", "y"], [["cafe\u0301"], ["cafe\u0301"]], ["train", "test"]).notes == ()


def test_arrays_cannot_be_changed():
    corpus = make_labelled(["x", "y"], [["a"], ["a"]], ["train", "test"])
    assert not corpus.labels.flags.writeable and not corpus.training.flags.writeable
