"""Answers, and how they are shown in a terminal and as HTML."""

from .answer import Answer, Caution, Drawing, Fact, JudgedPart, Level, Rows, materialised
from .croissant import ON_CARD, croissant_card
from .report import Report, report_html
from .terminal import print_answer
