"""Everything on a corpus in one file to send: sections of the pages, drawn for paper, as HTML that opens anywhere."""

from .build import PAGES, Report, ReportPage, build_report
from .html import write_html
from .section import Drawing, Section, Table
from .subject import MissingRuns, Subject
