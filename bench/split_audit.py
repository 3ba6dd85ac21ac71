"""20 Newsgroups' official split, judged: what crosses it, how long that takes and how much memory."""

import resource
import sys
import time

from bench import exit_code, newsgroups
from core.corpora.readers import read_corpus
from core.splits import audit_split
from core.topics import topic_space
from core.vectors import embed, make_encoder

MOST_SECONDS, MOST_GIB = 60.0, 1.5


def main() -> int:
    file = newsgroups()
    if not file.exists():
        print("skipped: ../shared/data/20newsgroups.parquet is not here")
        return 0
    start = time.process_time()
    corpus = read_corpus(file)
    vectors = embed(corpus, make_encoder("lsa")).matrix
    space = topic_space(vectors, corpus.topic_codes, corpus.topic_names)
    ready = time.process_time()
    audit = audit_split(corpus, vectors, space)
    seconds, total = time.process_time() - ready, time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"split         {audit.train:,} training and {audit.test:,} test documents")
    print(
        f"topics        {len(audit.topics)} tested, {audit.shared} of them in training too, "
        f"{audit.twins} with a near twin there (similarity {audit.threshold:.3f} or more)"
    )
    print(f"similarity    mean {audit.mean:.3f}, max {audit.max:.3f} over different topics")
    for topic in sorted(audit.topics, key=lambda topic: -topic.similarity)[:6]:
        print(f"              {topic.name} – {topic.nearest}: {topic.similarity:.3f}{' *' if topic.twin else ''}")
    copies = audit.duplicates
    print(
        f"documents     {len(copies):,} test documents nearly copy a training one (Jaccard {copies.threshold} or more), "
        f"{int((copies.jaccard == 1).sum()):,} word for word; {copies.short:,} too short to tell"
    )
    crossed = audit.neighbour_leakage
    print(
        f"nearest       median cosine of the nearest training document {float(sorted(crossed.similarity)[len(crossed.similarity) // 2]):.3f}"
    )
    print(
        f"crossing      {crossed.score:.3f} of the similarity to the {crossed.neighbours} nearest documents crosses the split; "
        f"by chance {crossed.chance:.3f}; from other topics {crossed.other_topics:.3f}"
    )
    if audit.hits is not None:
        hits = audit.hits
        print(
            f"HITS          keeps {len(hits.topics)} topics without near twins ({hits.documents:,} documents); with "
            f"{hits.test_topics} of them as test topics mean {hits.mean:.3f}, max {hits.max:.3f}; "
            f"crossing {hits.neighbour_leakage_ratio:.3f} of chance against {crossed.ratio:.3f}"
        )
    print(
        f"time          {seconds:.1f} s of processor time, {total:.1f} s with reading and LSA; {memory:.2f} GiB at most"
    )
    passed = total <= MOST_SECONDS and memory <= MOST_GIB
    print(f"{'ok' if passed else 'FAILED'}: at most {MOST_SECONDS:.0f} s and {MOST_GIB} GiB wanted")
    return exit_code(measured=passed)


if __name__ == "__main__":
    sys.exit(main())
