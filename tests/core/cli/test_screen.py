"""An answer on a screen: every item in a line, what is left out counted, and no name that passes for a line."""

import pytest

from core.__main__ import main

SCREEN = 40  # lines


def shown(capsys, *arguments: str) -> list[str]:
    assert main(arguments) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hits", "demo", "--m", "8", "--sampler", "minimax", "--optimum"], ["Lowest possible"]),
        (["design", "demo"], ["All topics, random", "HITS, m = ", "Minimax, ", "HITS, the others merged", "Least-leakage"]),
        (["raven", "demo", "--m", "9", "--k", "3", "--out", "{out}"], ["hits ", *(f"random-{n} " for n in range(5))]),
        (["compare", "{scores}", "--a", "A", "--b", "B"], ["Macro sign test (S)", "Macro t-test (T)", "Macro t-test on ranks", "Equivalence"]),
        (["evaluate", "demo", "--task", "attribution", "--k", "3"], ["Character SVM", "TopicFit"]),
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
