"""What the seed papers did, a module or package each."""

from .schein_2010 import NovelTopics, novel_topics
from .yang_liu_1999 import PUBLISHED, Categorization, categorize, is_aptemod, published_p_tests
