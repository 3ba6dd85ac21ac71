"""Check how our texts read: words we avoid, sentence length, spelling and reading ease (`make check` runs it).

Reads the docs, the answers' snapshots, every question's settings, and the strings, docstrings, comments and names of code. Prints
file:line and what to change; exits with 1 if there is anything.
"""

import ast
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path
from pkgutil import iter_modules

import textstat

from core import questions
from core.questions import Settings

ROOT = Path(__file__).resolve().parent.parent
DOCS = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "data/README")),
]
SNAPSHOTS = sorted((ROOT / "tests" / "snapshots").glob("*.txt"))
QUESTIONS = ROOT / "core" / "questions"
CODE = [ROOT / "app.py", *(file for name in ("core", "pages") for file in sorted((ROOT / name).rglob("*.py")))]
OTHER_CODE = [file for name in ("bench", "data", "tests", "tools") for file in sorted((ROOT / name).rglob("*.py"))]
QUOTING = [  # they quote what is avoided, or formats of older versions
    ROOT / "tools" / "voice.py",
    ROOT / "data" / "engine" / "wording.py",
    *(ROOT / "tests" / name for name in ("test_voice.py", "core/test_formats.py", "core/corpora/test_scripts.py")),
    *(
        ROOT / "tests" / name
        for name in ("pages/test_design.py", "pages/shared/test_history.py", "data/test_courier_habits.py")
    ),
]
SCRIPTS = sorted((ROOT / "pages").rglob("*.js"))
FORMULAS = [ROOT / "docs" / f"{name}.md" for name in ("methods", "decisions")]  # sentences with formulas may be longer
OLD_WORDS = re.compile(  # in names
    r"(?:^|_)(mend(?:s|ed|ing)?|dealt|deals?|anew|alike|likeness|sure|lean(?:s|ing)?|parted|hangs?_on|hang_on|by_lot|so_many|in_hand|"
    r"at_hand|beyond_doubt|remed(?:y|ies)|unplaced|least_maximum)(?:_|$)",
    re.IGNORECASE,
)
NO_VERBS = re.compile(  # how a docstring without a verb starts
    r"(The|An?|Whether|What|How|Every|All|Each|Which|Where|Why|When|Whose|Who|One|Two|Both|Such|This|That|These|Those|Its?|Of|"
    r"From|In|On|By|At|For|As|With|Under|Beside|Before|After|Above|Below|Past|While|Once|If|Per|Until|Between|Ours)\b"
    r"|(?![A-Z][a-z])"
)
MOST_WORDS = 25  # in a sentence of a headline, a reason or a caution
LEAST_EASE = 50  # mean Flesch reading ease of headlines and reasons

# What we avoid → what to write instead.
WORDS = {
    r"(in|at) hand": "current, available",
    r"dealt|deals|(a|random|one|every|some) deal": "split into folds, a random split",
    r"parted|parts (near|twins|topics|no|every)": "separated, puts on both sides",
    r"beyond doubt|(?<!make )sure": "clear",
    r"(past|above|below|over|near-twin) (the |its |their |own )*line": "threshold",
    r"anew|draws of (documents|topics)": "again, bootstrap samples",
    r"can(not)? be told": "not significant, too little data to tell",
    r"buys?|buying": "adds, raises accuracy by",
    r"leans?( \w+)? on|leaning": "relies on",
    r"mend(s|ed|ing)?|remed(y|ies)": "fix, suggestion",
    r"(takes?|taken) for granted": "assumes",
    r"by lot|so many": "at random, this many",
    r"the least of|least (documents|number|share)": "minimum",
    r"(hangs?|hung) (on|together)": "depends on, form a group",
    r"(is|are|be) said|says? so|said to": "is shown, reports",
    r"alike|likeness(es)?": "similar, similarity",
    r"can(not)? be placed": "too few documents to compare",
    r"least maximum": "minimax",
    r"take it (away|with you)": "Export",
    r"made (corpus|corpora|networks?|topics|documents)|made[- ]up": "synthetic, fictional",
    r"brings?": "has, comes with",
    r"whole numbers?|texts? of its own": "integer, its own text",
    r"per cent|\d %": "95%",
}
AVOIDED = [(re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), instead) for words, instead in WORDS.items()]
AVOIDED[-1] = (re.compile(r"\bper cent\b|[\d…}] %(?!\{)|%\w %%"), "95%")
OLD_NAMES = ("least maximum", "made networks", "All topics, dealt at random")  # in links of older versions
QUOTED = ('"Least maximum"', "too sure", "not sure")  # names that stay


def main() -> int:
    """Print every violation and return 1 if there is one."""
    found = [
        *words_in_docs(),
        *words_in_snapshots(),
        *words_in_settings(),
        *words_in_code(),
        *words_in_comments(),
        *words_in_names(),
        *words_in_scripts(),
        *docstrings_without_a_verb(),
        *long_sentences(),
        *long_sentences_in_docs(),
        *long_sentences_in_code(),
        *hard_reading(),
        *typos(),
    ]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"Mean Flesch reading ease of headlines and reasons: {mean_ease():.0f} (at least {LEAST_EASE}).")
    print(f"{len(found)} to change." if found else "Texts read well.")
    return 1 if found else 0


def avoided(text: str) -> Iterator[str]:
    """Yield the avoided words of a text, and what to write instead."""
    for quoted in QUOTED:
        text = text.replace(quoted, "")
    for pattern, instead in AVOIDED:
        yield from (f"'{match[0]}': write {instead}" for match in pattern.finditer(text))


def prose(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a markdown file without code and links' addresses."""
    fenced = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not (line.startswith("    ") and not line.lstrip().startswith(("-", "|"))):
            yield number, re.sub(r"`[^`]*`", "Code", re.sub(r"\]\([^)]*\)|\$[^$]*\$", " ", line))


def paragraphs(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs and items of a markdown file, with the lines they start in; no tables and no headings."""
    parts, start = list[str](), 0
    for number, line in [*prose(file), (0, "")]:
        if not line.strip() or (re.match(r"\s*([-*|#!] ?|\d+\.) ?", line) and not re.match(r"\*\w|\*\*", line)):
            if parts:
                yield start, " ".join(parts)
            parts = []
        if line.strip() and not line.lstrip().startswith(("|", "#", "![")):
            start = start if parts else number
            parts.append(re.sub(r"^\s*([-*]|\d+\.) +", "", line.strip()))


def words_in_docs() -> Iterator[str]:
    """Yield the avoided words of the docs."""
    for file in DOCS:
        for number, line in prose(file):
            yield from (f"{file.relative_to(ROOT)}:{number}: {problem}" for problem in avoided(line))


def words_in_snapshots() -> Iterator[str]:
    """Yield the avoided words of the answers."""
    for file in SNAPSHOTS:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            yield from (f"{file.relative_to(ROOT)}:{number}: {problem}" for problem in avoided(line))


def words_in_settings() -> Iterator[str]:
    """Yield the avoided words of labels, help and choices of every question's settings."""
    for info in iter_modules([str(QUESTIONS)]):
        module = import_module(f"{questions.__name__}.{info.name}")
        lines = (QUESTIONS / f"{info.name}.py").read_text(encoding="utf-8").splitlines()
        for _, settings in getmembers(module, lambda each: isclass(each) and issubclass(each, Settings)):
            if settings.__module__ != module.__name__:
                continue
            for name, control in settings.controls().items():
                choices = control.choices.values() if isinstance(control.choices, dict) else ()
                at = next((n for n, line in enumerate(lines, start=1) if re.match(rf"\s+{name}: ", line)), 1)
                for text in (control.label, control.help, *map(str, choices)):
                    yield from (f"core/questions/{info.name}.py:{at}: {problem}" for problem in avoided(text))


def code_texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every string of two words or more in code; docstrings are among them."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values),
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and " " in node.value
            and id(node) not in inside
        ):
            yield node.lineno, node.value


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines in which docstrings start."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.body[0].lineno for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)}


def words_in_comments() -> Iterator[str]:
    """Yield the avoided words in comments."""
    for file in [*CODE, *OTHER_CODE]:
        if file in QUOTING:
            continue
        with file.open("rb") as source:
            for token in tokenize.tokenize(source.readline):
                if token.type == tokenize.COMMENT:
                    for problem in avoided(re.sub(r"`[^`]*`", "", token.string)):
                        yield f"{file.relative_to(ROOT)}:{token.start[0]}: {problem}"


def words_in_names() -> Iterator[str]:
    """Yield the avoided words in names that code gives."""
    for file in [*CODE, *OTHER_CODE]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            name = ""
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = node.name
            elif isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            if found := OLD_WORDS.search(name):
                yield f"{file.relative_to(ROOT)}:{node.lineno}: '{found[1]}' in the name {name}"


def words_in_code() -> Iterator[str]:
    """Yield the avoided words in labels, messages and docstrings."""
    for file in [*CODE, *OTHER_CODE]:
        if file in QUOTING:
            continue
        for number, text in code_texts(ast.parse(file.read_text(encoding="utf-8"))):
            if text in OLD_NAMES:
                continue
            yield from (
                f"{file.relative_to(ROOT)}:{number}: {problem}" for problem in avoided(re.sub(r"`[^`]*`", "", text))
            )


def words_in_scripts() -> Iterator[str]:
    """Yield the avoided words in the quoted strings and comments of our scripts."""
    for file in SCRIPTS:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            for text in re.findall(r'"[^"]*"|`[^`]*`|^\s*(?:/\*\*|\*|//).*', line):
                words = re.sub(r"\$\{[^}]*\}", "…", text)
                yield from (f"{file.relative_to(ROOT)}:{number}: {problem}" for problem in avoided(words))


def docstrings_without_a_verb() -> Iterator[str]:
    """Yield the functions whose docstring starts with an article, a preposition, a question word or no word at all."""
    for file in CODE:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node) or ""
                if text and NO_VERBS.match(text):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}: start with a verb: {' '.join(text.split()[:8])} …"


def said(kinds: str) -> Iterator[tuple[str, str]]:
    """Yield place and text of the snapshots' headlines ("["), reasons ("-") and cautions ("!")."""
    for file in SNAPSHOTS:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            if line[:1] and line[0] in kinds:
                yield f"{file.relative_to(ROOT)}:{number}", re.sub(r"^(\[\w+\]|-|! [\w-]+:) ", "", line)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return re.split(r"(?<=[.!?])(?<!al\.)(?<!vs\.) +(?!\()", text.replace(".…", "."))


def too_long(place: str, text: str) -> Iterator[str]:
    """Yield the sentences of a text that are too long; lists between dots or colons are no sentences."""
    for sentence in sentences(text):
        words = [word for word in re.split(r" · | ", sentence) if re.search(r"\w", word)]
        if len(words) > MOST_WORDS and " · " not in sentence:
            yield f"{place}: {len(words)} words in a sentence, at most {MOST_WORDS}: {sentence}"


def long_sentences() -> Iterator[str]:
    """Yield headlines, reasons, cautions, captions, notes and next steps with a sentence that is too long."""
    for place, text in said("[-!#ft>"):
        yield from too_long(
            place, re.sub(r"^table .*For a methods section: |^(figure|table) [^:]*: |^#+ |^> ", "", text)
        )


def long_sentences_in_docs() -> Iterator[str]:
    """Yield sentences of the docs that are too long, except where formulas are."""
    for file in DOCS:
        if file not in FORMULAS:
            for number, text in paragraphs(file):
                yield from too_long(f"{file.relative_to(ROOT)}:{number}", re.sub(r"\*\*|[\[\]]", "", text))


def long_sentences_in_code() -> Iterator[str]:
    """Yield labels, help texts and messages with a sentence that is too long; docstrings may be longer."""
    for file in CODE:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        documented = docstring_lines(tree)
        for number, text in code_texts(tree):
            words = " ".join(text.split())
            if number not in documented and re.search(r"\b(the|of|is|are|has|have)\b", words) and "{" not in words:
                yield from too_long(f"{file.relative_to(ROOT)}:{number}", words)


def mean_ease() -> float:
    """Return the mean Flesch reading ease of the snapshots' headlines and reasons."""
    texts = sorted({text for _, text in said("[-")})
    return sum(textstat.flesch_reading_ease(text) for text in texts) / len(texts)


def hard_reading() -> Iterator[str]:
    """Yield the mean reading ease of headlines and reasons if it is too low."""
    if (ease := mean_ease()) < LEAST_EASE:
        yield f"tests/snapshots: mean Flesch reading ease {ease:.0f} of headlines and reasons, at least {LEAST_EASE}"


def typos() -> Iterator[str]:
    """Yield what codespell finds in docs, snapshots and the sentences' sources."""
    files = [*DOCS, *SNAPSHOTS, *sorted(QUESTIONS.glob("*.py"))]
    names = [str(file.relative_to(ROOT)) for file in files]
    run = subprocess.run([sys.executable, "-m", "codespell_lib", *names], cwd=ROOT, capture_output=True, text=True)
    yield from run.stdout.splitlines()
    if run.returncode and not run.stdout:
        yield f"codespell: {run.stderr.strip()}"


if __name__ == "__main__":
    sys.exit(main())
