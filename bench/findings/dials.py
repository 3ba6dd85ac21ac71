"""Of docs/findings.md: what HITS changes on synthetic corpora over both dials, from the table that ships with the app."""

from core.demo import DIAL_GRID
from core.lesson import DialGrid, read_dial_grid

COLUMNS: dict[str, dict[str, str]] = {
    "max similarity": {"task": "folds", "model": "", "metric": "max_similarity"},
    "authors in training": {"task": "folds", "model": "", "metric": "seen_authors"},
    "TopicFit, accuracy": {"task": "attribution", "model": "topic_fit", "metric": "accuracy"},
    "maximum entropy, accuracy": {"task": "attribution", "model": "max_ent", "metric": "accuracy"},
    "character SVM, accuracy": {"task": "attribution", "model": "char_svm", "metric": "accuracy"},
    "gap, the paper's pairs": {"task": "folds", "model": "", "metric": "gap", "pairs": "paper"},
    "TopicFit, AUC, the paper's pairs": {
        "task": "verification",
        "model": "topic_fit",
        "metric": "auc",
        "pairs": "paper",
    },
    "TopicFit, AUC, matched pairs": {"task": "verification", "model": "topic_fit", "metric": "auc", "pairs": "matched"},
}


def report_dials() -> None:
    """HITS / random topics in every cell, with the spread of the difference over corpora."""
    grid = read_dial_grid(DIAL_GRID)
    print("## Synthetic corpora with two dials\n")
    print(f"HITS / random topics (standard deviation of their difference over {grid.rows[0].corpora} corpora).\n")
    print(f"| shared, loyal | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
    for shared in grid.shared:
        for loyal in grid.loyal:
            cells = (_cell(grid, float(shared), float(loyal), choices) for choices in COLUMNS.values())
            print(f"| {shared:g}, {loyal:g} | {' | '.join(cells)} |")
    print()


def _cell(grid: DialGrid, shared: float, loyal: float, choices: dict[str, str]) -> str:
    hits, random = (grid.row(shared, loyal, sampler=sampler, **choices) for sampler in ("hits", "random"))
    return f"{hits.mean:.3f} / {random.mean:.3f} ({hits.change_sd:.3f})"
