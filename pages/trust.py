"""Trust lab: how often would that test lie?"""

import streamlit as st

from pages.parts import trust as parts
from pages.parts import trust_networks
from pages.shared.controls import IN_URL, header

header(
    "How often would that test lie?",
    "A test at .05 should find a difference between equal models in 5 % of studies. Where errors come in groups, as they do "
    "within topics, and resamples overlap, it finds one far more often: here you can see by how much.",
    section="How far to trust a comparison",
)
answer = st.container()
VIEWS = {
    "your own run": parts.own_run,
    "simulated groups": parts.groups,
    "networks": trust_networks.networks,
    "three theorems": parts.theorems,
}
view = st.segmented_control("Look at", list(VIEWS), default="your own run", required=True, key="view", bind=IN_URL)
VIEWS[view](answer)
