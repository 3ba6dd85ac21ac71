"""The limits of a host, where files are loaded."""

import streamlit as st

from pages.shared import show
from pages.shared.limits import PREFIX, hosted, limit, settings


def limits_panel() -> None:
    """Every limit by its name, its value and what it bounds; on a machine of one's own there is nothing to say."""
    if not hosted():
        return
    with st.expander("Limits of this server", icon=":material/rule:"):
        st.markdown(
            "This server is shared. Nobody sees what others load or compute; what goes past a limit is refused with a "
            "sentence. On a machine of your own Leakscope has no limits but the machine's."
        )
        rows = [
            {"bounds": each.about, "value": f"{limit(name):,} {each.unit}", "setting": PREFIX + name}
            for name, each in settings().items()
        ]
        show.table(rows, alt="The limits of this server", csv=None)
