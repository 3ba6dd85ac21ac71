"""Methods: every formula and every term, in one place."""

from pages.parts import methods as parts
from pages.shared.controls import framed

framed()
parts.document()
