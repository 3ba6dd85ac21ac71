"""Methods: every formula and every term, in one place."""

from pages.parts import methods as parts
from pages.shared.widgets import framed

framed()
parts.document()
