"""Compute what ships beside the corpus: SBERT vectors in half precision and the map's coordinates."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.bundled import MAP, VECTORS, bundled_corpus
from core.embed import embed
from core.encoders import make_encoder
from core.layout import map_layout
from core.space import topic_space


def main() -> None:
    corpus = bundled_corpus()
    vectors = embed(corpus, make_encoder("sbert")).matrix.astype(np.float16)
    np.save(VECTORS, vectors, allow_pickle=False)
    space = topic_space(vectors.astype(np.float32), corpus.topic_codes, corpus.topic_names)
    layout = map_layout(vectors.astype(np.float32), corpus.topic_codes, space)
    np.save(MAP, np.vstack([layout.documents, layout.centroids]).astype(np.float32), allow_pickle=False)
    print(f"{len(corpus):,} documents: {VECTORS.name}, {MAP.name}")


if __name__ == "__main__":
    main()
