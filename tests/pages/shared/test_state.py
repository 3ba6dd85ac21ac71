"""What a session holds is the session's: nothing keeps it when the session is gone."""

import subprocess
import sys

from tests.conftest import ROOT

# In a process of its own: freezing happens once in the life of one.
UPLOADED = """
import gc, sys, weakref
from tests.pages.opened import press, upload

class Session:
    "Streamlit's own sessions hold themselves too, so that only the collector ends them."

def frozen(thing):
    "The collector's list leaves out what it will never look at."
    return not any(each is thing for each in gc.get_objects())

app = press(upload(("my.csv", sys.stdin.buffer.read())), "Use this corpus")
assert frozen(sys.modules["pages.shared.state"].__dict__), "modules are frozen"
session = Session()
session.itself, session.upload = session, app.session_state["file_corpus"]
assert len(session.upload) == 12
import imaplib  # a module that nothing has imported yet
app.switch_page("pages/hits.py").run()
assert not app.exception, app.exception
assert not frozen(session.upload) and not frozen(session.__dict__)
ended = weakref.ref(session)
del session
gc.collect()
assert ended() is None, "the session and its upload are freed"
"""


def test_an_upload_is_freed_with_its_session(tiny_csv):
    done = subprocess.run([sys.executable, "-c", UPLOADED], cwd=ROOT, input=tiny_csv, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
