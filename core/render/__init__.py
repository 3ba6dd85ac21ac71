"""Answers, and how they are shown in a terminal and as HTML."""

from .answer import Answer, Caution, Drawing, Fact, JudgedPart, Level, Rows, materialised
from .html import answer_html
from .report import Report, report_html
from .terminal import cell_texts, print_answer
