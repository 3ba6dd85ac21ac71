"""Near duplicates and nearest neighbours, by brute force."""

import numpy as np
import pytest

from core.errors import SettingError
from core.splits import duplicates as duplicates_module
from core.splits import near_copies
from core.splits.duplicates import containment, jaccard, near_duplicates, neighbour_leakage, shingled, worded

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrst"]


def a_text(rng, words=60):
    return " ".join(rng.choice(WORDS, words))


def edited(text, words):
    parts = text.split()
    for position in words:
        parts[position] = "changed"
    return " ".join(parts)


@pytest.mark.parametrize("seed", range(4))
def test_planted_twins_are_found_and_strangers_are_not(seed):
    rng = np.random.default_rng(0)
    train = [a_text(rng) for _ in range(60)]
    tests = [train[3], train[4].upper().replace(" ", " -- "), edited(train[5], [7, 30]), f"Re: {train[6]} yours, A."]
    tests += [a_text(rng) for _ in range(60)] + ["", "two words"]
    texts = train + tests
    found = near_duplicates(texts, np.arange(60), np.arange(60, len(texts)), seed=seed)
    assert found.test.tolist() == [60, 61, 62, 63]
    assert found.train.tolist() == [3, 4, 5, 6]
    assert found.short == 2
    for one, two, value in zip(found.test, found.train, found.jaccard, strict=True):
        assert value == jaccard(shingled(worded(texts[one])), shingled(worded(texts[two])))
    assert found.jaccard[:2].tolist() == [1, 1]


def test_the_threshold_is_on_true_jaccard():
    rng = np.random.default_rng(1)
    train = [a_text(rng) for _ in range(40)]
    tests = [edited(text, range(0, 10 * (row % 5), 5)) for row, text in enumerate(train)]
    rows = np.arange(40), np.arange(40, 80)
    for threshold in (0.3, 0.6, 0.9):
        found = near_duplicates(train + tests, *rows, threshold=threshold)
        assert (found.jaccard >= threshold).all() and len(found) > 0
        clear = {
            40 + row
            for row, (one, two) in enumerate(zip(train, tests, strict=True))
            if jaccard(shingled(one), shingled(two)) >= min(1.0, threshold + 0.15)
        }
        assert clear <= set(found.test.tolist())
    for threshold in (-0.5, 0.0, 1.0 + 1e-9, 1.5):
        with pytest.raises(SettingError, match="above 0 and at most 1"):
            near_duplicates(train, *rows, threshold=threshold)


def test_many_forms_of_one_letter_stay_cheap(monkeypatch):
    rng = np.random.default_rng(2)
    letter = a_text(rng)
    texts = [f"{letter} number {n} of {n * 7}" for n in range(300)]
    compared = []
    monkeypatch.setattr(duplicates_module, "jaccard", lambda one, two: compared.append(1) or jaccard(one, two))
    found = near_duplicates(texts, np.arange(200), np.arange(200, 300))
    assert len(found) == 100
    assert len(compared) <= 100 * duplicates_module.FAMILY * 2


def test_a_pair_exactly_at_the_threshold_counts():
    words = [f"w{number}" for number in range(102)]
    texts = [" ".join(words), " ".join(words[:52])]  # 100 shingles and 50 of them
    rows = np.array([0]), np.array([1])
    found = near_duplicates(texts, *rows, threshold=0.5)
    assert (found.test.tolist(), found.train.tolist(), found.jaccard.tolist()) == ([1], [0], [0.5])
    assert near_duplicates(texts, *rows, threshold=0.5 + 1e-9).jaccard.tolist() == [1.0], "all of the shorter text"
    assert len(near_duplicates([texts[0], texts[0]], *rows, threshold=1.0)) == 1


def test_the_most_similar_training_document_is_named_and_of_equals_the_first():
    rng = np.random.default_rng(3)
    text = a_text(rng)
    texts = [edited(text, [5, 30]), edited(text, [30]), edited(text, [10]), text.upper(), "one two three", text]
    assert near_duplicates(texts, np.array([0, 2, 1]), np.array([5])).train.tolist() == [2]
    assert near_duplicates(texts, np.array([0, 1, 2]), np.array([5])).train.tolist() == [1]
    copy = near_duplicates(texts, np.array([1, 3]), np.array([4, 5]))
    assert (copy.train.tolist(), copy.jaccard.tolist(), copy.short) == ([3], [1.0], 0)


def test_progress_counts_documents_of_both_sides(monkeypatch):
    monkeypatch.setattr(duplicates_module, "EVERY", 2)
    seen = []
    near_duplicates(["a b c"] * 5, np.arange(3), np.arange(3, 5), progress=lambda *step: seen.append(step))
    assert seen == [(done, 5, "near duplicates", None) for done in (0, 2, 4)]


CHINESE = {
    "telescope": "昨天晚上我们把望远镜搬到屋顶上，等云散开以后终于看见了木星和它的四颗卫星。孩子们轮流看，谁也不愿意下楼睡觉。",
    "soup": "妈妈做的番茄汤总是先把洋葱炒软，再放番茄和一点糖，小火慢慢煮半个小时，最后撒上香菜。我照着做过很多次，味道还是不一样。",
    "train": "早班火车从小城出发，窗外是雾和稻田。车厢里没有人说话，只有列车员推着热水走过，轮子的声音像一首老歌。",
}
EDITED = {  # the same with a few characters changed, added or left out, and with other punctuation
    "telescope": "昨天晚上我们把望远镜搬到屋顶上；等云散开以后终于看见了土星和它的四颗卫星！孩子们轮流看,都不愿意下楼睡觉",
    "soup": "妈妈做的番茄汤总是先把洋葱炒软、再放番茄和一点盐、小火慢慢煮半个小时、最后撒上香菜。我照着做过几次，味道还是不一样。",
}


def test_chinese_texts_are_compared_by_characters_not_by_what_stands_between_marks():
    texts = [
        *CHINESE.values(),
        *EDITED.values(),
        "我照着做过很多次。" + "屋顶上的鸽子每天清晨都会叫醒整条街的人，面包店的灯也就亮了。",
        "好的",
    ]
    found = near_duplicates(texts, np.arange(3), np.arange(3, 7))
    assert found.test.tolist() == [3, 4] and found.train.tolist() == [0, 1]
    assert ((found.jaccard > 0.5) & (found.jaccard < 1)).all()
    assert found.short == 1, "two characters are fewer than a shingle"
    joined = texts[0].replace("，", "").replace("。", "")
    assert near_duplicates([texts[0], joined], np.array([0]), np.array([1])).jaccard.tolist() == [1.0]


def test_a_shingle_is_three_words_or_as_much_of_a_script_without_spaces():
    assert shingled(worded("one two three four")) == {"one two three", "two three four"}
    assert shingled(worded("望远镜和行星")) == {"望 远 镜 和 行", "远 镜 和 行 星"}
    assert shingled(worded("用 Python 写 程序")) == {"用 python 写 程 序"}
    assert len(shingled(worded("ภาษาไทยเขียนติดกัน"))) == len(worded("ภาษาไทยเขียนติดกัน").split()) - 9
    assert shingled(worded("望远镜")) == frozenset() == shingled("")


def test_documents_as_near_as_the_last_neighbour_share_the_weight_left():
    """Of two neighbours the copy is one; three documents at a cosine of .6 share the other, one of them in training."""
    eye = np.eye(4)
    vectors = np.array([eye[0], *(0.6 * eye[0] + 0.8 * eye[other] for other in (1, 2, 3)), eye[0]])
    train, test = np.array([0, 1]), np.array([2, 3, 4])
    found = neighbour_leakage(vectors, np.array([1, 0, 0, 0, 0]), train, test, tested=np.array([4]), neighbours=2)
    assert found.share == pytest.approx([(1 + 0.6 / 3) / 1.6])
    assert found.same_topic == pytest.approx([0.6 / 3 / 1.6])
    assert found.other_topics == pytest.approx(1 / 1.6)
    assert (found.similarity.tolist(), found.chance) == ([pytest.approx(1)], 2 / 4)
    most = neighbour_leakage(vectors, np.zeros(5, dtype=int), train, test, tested=np.array([4]), neighbours=99)
    assert most.share == pytest.approx([1.6 / 2.8]), "more neighbours than documents: all of them"
    with pytest.raises(SettingError, match="ask for 1 or more"):
        neighbour_leakage(vectors, np.zeros(5, dtype=int), train, test, neighbours=0)


def test_a_row_of_zeros_is_like_no_other_document():
    vectors = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0], [0.0, 0.0]])
    found = neighbour_leakage(vectors, np.zeros(4, dtype=int), np.array([0, 1]), np.array([2, 3]), neighbours=2)
    assert found.share.tolist() == [1, 0] and found.similarity.tolist() == [1, 0]
    assert (found.score, found.chance) == (0.5, pytest.approx(2 / 3 / 2)), "chance is of those that are like another"


@pytest.mark.parametrize(("cells", "blocks"), [(1, range(20)), (600 * 8, (0, 8, 16)), (4_000_000, (0,))])
def test_many_documents_in_blocks_have_the_neighbours_that_sorting_finds(monkeypatch, cells, blocks):
    rng = np.random.default_rng(0)
    vectors, codes = rng.normal(size=(600, 6)), rng.integers(0, 5, 600)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    train, test, tested = np.arange(0, 600, 2), np.arange(1, 600, 2), np.arange(1, 80, 4)
    shares, own = [], []
    for row in tested:
        cosine = units @ units[row]
        near = [other for other in np.argsort(-cosine) if other != row][:10]
        weight = np.maximum(cosine[near], 0)
        leaks = np.isin(near, train)
        shares.append(weight[leaks].sum() / weight.sum())
        own.append(weight[leaks & (codes[near] == codes[row])].sum() / weight.sum())
    monkeypatch.setattr(duplicates_module, "CELLS", cells)
    seen = []
    found = neighbour_leakage(vectors, codes, train, test, tested=tested, progress=lambda *step: seen.append(step))
    assert seen == [(start, 20, "nearest documents", None) for start in blocks]
    assert found.share == pytest.approx(np.array(shares), abs=1e-5)
    assert found.same_topic == pytest.approx(np.array(own), abs=1e-5)
    assert found.neighbours == 10


def made_texts(count: int, seed: int) -> list[str]:
    """Random texts, every third of them an earlier one with some words changed, every seventh a copy in capitals."""
    rng = np.random.default_rng(seed)
    texts: list[str] = []
    for number in range(count):
        words = [f"w{word}" for word in rng.integers(0, 500, 60)]
        if number % 3 == 2:
            words = texts[int(rng.integers(len(texts)))].lower().split()
            for place in rng.choice(60, int(rng.integers(1, 12)), replace=False):
                words[place] = "changed"
        texts.append(texts[-1].upper() if number % 7 == 6 else " ".join(words))
    return texts


def test_what_is_found_is_what_comparing_all_pairs_finds():
    texts = [*made_texts(60, 0), "too short", "too short", ""]
    found = near_copies(texts)
    shingles = [shingled(worded(text)) for text in texts]

    def value(one: frozenset[str], two: frozenset[str]) -> float:
        return jaccard(one, two) if jaccard(one, two) >= 0.5 else containment(one, two) if one and two else 0.0

    similarity = [max((value(one, two) for two in shingles[:row]), default=0.0) for row, one in enumerate(shingles)]
    assert found.short == 3
    assert (found.train < found.test).all() and len(set(found.test.tolist())) == len(found)
    assert (found.jaccard <= np.array([similarity[row] for row in found.test]) + 1e-12).all()
    clear = [row for row, most in enumerate(similarity) if most >= 0.6]
    assert set(clear) <= set(found.test.tolist()) <= {row for row, most in enumerate(similarity) if most >= 0.5}


def test_the_last_text_is_judged_as_a_test_document_would_be():
    texts = made_texts(30, 1)
    rows = np.arange(30)
    for last in (8, 13, 20, 29):
        alone = near_duplicates(texts, rows[:last], rows[last : last + 1])
        found = near_copies(texts[: last + 1])
        assert (last in found.test) == bool(len(alone))


def test_texts_with_nothing_in_common_have_no_copies():
    rng = np.random.default_rng(2)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 10_000, 50)) for _ in range(60)]
    assert len(near_copies(texts)) == 0 and len(near_copies([])) == 0


def words(seed: int, count: int) -> list[str]:
    return [f"w{number}" for number in np.random.default_rng(seed).integers(0, 3_000, count)]


EDITS = {
    "first half": lambda text: text[: len(text) // 2],
    "first 30%": lambda text: text[: int(0.3 * len(text))],
    "something added before": lambda text: ["new", *words(999, 80), *text],
    "halves swapped": lambda text: text[len(text) // 2 :] + text[: len(text) // 2],
    "every tenth word replaced": lambda text: [
        f"x{place}" if place % 10 == 0 else word for place, word in enumerate(text)
    ],
}


@pytest.mark.parametrize("edit", EDITS)
def test_excerpts_and_edited_texts_are_found_and_others_are_not(edit):
    texts = [words(seed, 150) for seed in range(60)]
    edited = [EDITS[edit](text) for text in texts[:20]]
    strangers = [words(1_000 + seed, 150) for seed in range(20)]
    joined = [" ".join(text) for text in (*texts, *edited, *strangers)]
    found = near_duplicates(joined, np.arange(60), np.arange(60, 100))
    assert dict(zip(found.test.tolist(), found.train.tolist(), strict=True)) == {60 + row: row for row in range(20)}


def test_a_shared_phrase_is_no_excerpt():
    phrase = words(5, 8)
    texts = [" ".join(words(1, 60) + phrase), " ".join(phrase + words(2, 4))]
    assert len(near_duplicates(texts, np.array([0]), np.array([1]))) == 0
