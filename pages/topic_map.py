"""Topic map: which topics are similar, and why?"""

import streamlit as st

from core.formats import in_sentence
from core.questions import topic_map
from pages.parts import topic_map as parts
from pages.shared import render, widgets
from pages.shared.show import escaped
from pages.shared.studies import answer_or_stop, settled, study_or_stop
from pages.shared.widgets import encoder_notes, header

header(
    topic_map.QUESTION,
    "Each point is a document, each grey dot the centroid of a topic. Below the map you can compare any two topics.",
    section="Topics in a vector space",
)
study = study_or_stop(preliminary=True)
if settled(lambda: study.space) is None:
    st.stop()
top, map_place = st.container(), st.container()
pair_title = st.container()
pair_row = st.grid(2, min_column_width=140)  # two abreast on a phone too
with map_place:
    row = st.grid(2, min_column_width=300, vertical_alignment="bottom")
    looks = row.container(horizontal=True, gap="medium")
places = {"find": row, "colour": looks, "layout": looks, "first": pair_row, "second": pair_row}
settings = widgets.ask(topic_map.Settings, study, question="topic_map", places=places)
answer = answer_or_stop(study, topic_map, settings)
render.headline(answer, top.container(border=True))
with map_place:
    parts.document_map(study, settings)
two = f"{escaped(in_sentence(settings.first))} and {escaped(in_sentence(settings.second))}"
pair_title.subheader(
    "Similarity of every pair" if settings.first == settings.second else f"What {two} share", anchor=False
)
halves = st.grid(2, min_column_width=380, gap="medium")
with halves.cell():
    every, ranked = st.tabs(["Every pair", "Topics by leakage"])
    with every:
        parts.matrix(study, answer.numbers.topics)
    with ranked:
        parts.leakage_ranking(answer.table("topics_by_leakage"))
with halves.cell():
    if settings.first == settings.second:
        st.info("Choose two different topics.", icon=":material/info:")
    else:
        parts.shared(study, answer.numbers)
for rows in answer.tables[1:]:
    render.closed_table(rows)
encoder_notes(study.vectors.notes)
