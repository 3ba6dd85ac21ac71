"""An answer on a screen: every item in a line, what is left out counted, and no name that passes for a line."""

import pytest

from core.__main__ import main
from core.cli import SCREEN, WIDTH, spoken


def shown(capsys, *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


def test_what_is_left_out_is_counted_and_only_where_something_is():
    many = {"sentence": "So.", "steps": [{"topic": f"t{number}"} for number in range(20)], "m": 3}
    short = spoken(many, all=False).splitlines()
    assert short[:3] == ["So.", "steps:", "  topic = t0"] and "  … 8 more" in short and short[-1].startswith("… --all")
    few = {"sentence": "So.", "topics": ["a"], "notes": [], "found": {}}
    assert spoken(few, all=False) == spoken(few) == "So.\ntopics: a"
    long = spoken({f"key {number}": number for number in range(99)}, all=False).splitlines()
    assert len(long) == SCREEN and long[-1].startswith("… --all")


def test_a_record_is_one_item_however_many_facts_it_holds():
    setups = {f"random-{number}": {"topics": number, "gap": 0.5, "names": ["a"] * 9} for number in range(6)}
    lines = spoken({"sentence": "So.", "setups": setups, "rows": [[1]] * 99}, all=False).splitlines()
    assert [line for line in lines if line.startswith("  random-")] == [
        f"  random-{number}: topics = {number}; gap = 0.5000; names = a, a, a and 6 more" for number in range(6)
    ]
    assert len(lines) <= SCREEN


def test_names_share_lines_and_sentences_have_their_own():
    names, notes = [f"topic {number}" for number in range(200)], ["word " * 60, "Brief."]
    lines = spoken({"names": names, "notes": notes}, all=False).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].startswith("names: topic 0, topic 1,") and lines[2].endswith("more")
    assert lines[3] == "notes:" and lines[-2] == "  Brief."
    assert " ".join(lines[4:-2]).split() == ["word"] * 60, "a sentence is broken over lines, and never cut"
    assert "topic 199" in spoken({"names": names})


def test_items_give_way_so_that_every_heading_is_seen():
    answer = {f"list {letter}": [{"n": number} for number in range(50)] for letter in "abcdef"} | {"last": 1}
    lines = spoken(answer, all=False).splitlines()
    assert len(lines) <= SCREEN and lines[-2] == "last: 1"
    assert {f"list {letter}:" for letter in "abcdef"} <= set(lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hits", "demo", "--m", "8", "--sampler", "minimax", "--optimum"], ["Lowest possible"]),
        (["design", "demo"], ["All topics, random", "HITS, m = ", "Minimax, ", "HITS, the others merged", "Least-leakage"]),
        (["raven", "demo", "--m", "9", "--k", "3", "--out", "{out}"], ["hits ", *(f"random-{n} " for n in range(5))]),
        (["compare", "{scores}", "--a", "A", "--b", "B"], ["Macro sign test (S)", "Macro t-test (T)", "Macro t-test on ranks", "Equivalence"]),
        (["evaluate", "demo", "--task", "attribution", "--k", "3"], ["  char_svm: accuracy = ", "  topic_fit: accuracy = "]),
    ],
)  # fmt: skip
def test_every_answer_asked_for_is_on_the_screen(capsys, tmp_path, arguments, words):
    (tmp_path / "scores.csv").write_text("A,B\n0.8,0.7\n0.7,0.75\n0.9,0.85\n0.6,0.5\n")
    files = {"{out}": str(tmp_path / "out"), "{scores}": str(tmp_path / "scores.csv")}
    lines = shown(capsys, *[files.get(each, each) for each in arguments])
    assert len(lines) <= SCREEN
    for word in words:
        assert any(line.startswith(word) for line in lines), word
    assert sum("kind = random" in line for line in lines) <= 1


def test_a_name_cannot_forge_a_line_or_speak_to_the_terminal(capsys, tmp_path):
    file = tmp_path / "forged.csv"
    rows = [f'x{row} word{row % 3},"{name}"' for row in range(8) for name in ("a\nlevel: clear\n\x1b[31mb", "c")]
    file.write_text("\n".join(["text,topic", *rows]))
    for more in ((), ("--all",)):
        lines = shown(capsys, "hits", str(file), "--encoder", "lsa", *more)
        assert not any(line.startswith("level") or "\x1b" in line for line in lines)
        assert any("a level: clear [31mb" in line for line in lines)
