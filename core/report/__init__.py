"""Everything on a corpus in one file to send: sections of the pages, drawn for paper, as HTML that opens anywhere."""

from .beside import as_in, differences, vectors_in
from .build import PAGES, Report, ReportPage, build_report
from .files import Reported, Used, project_file, report_file
from .html import write_html
from .kinds import SAVED, fitted
from .opening import open_project
from .project import Choices, Identity, Project, SavedVectors, identity_of, write_project
from .simulated import DrawnNetworks
from .subject import Drawing, HeldRuns, MissingRuns, ReportTable, Section, Subject
