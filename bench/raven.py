"""A RAVEN benchmark of 20 Newsgroups (m = 10, k = 5, five random seeds), built and written by two processes.

They differ in their hash seed and must write the same bytes, as a folder and as an archive. Time and memory count from
the stored LSA vectors on; the first run here computes those, in half a minute.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench import ROOT, exit_code, newsgroups, sized
from core.corpora.readers import read_corpus
from core.evaluation import NamedVectors
from core.papers.hits_2024 import build_benchmark, read_benchmark, write_benchmark
from core.vectors import VectorStore, embed, make_encoder

TOPICS, MOST_SECONDS, MOST_MEMORY = 10, 60, 1.5


def build(file: str, vectors: str, place: Path) -> None:
    """What a process does, and prints about it."""
    start = time.perf_counter()
    corpus = read_corpus(Path(file))
    benchmark = build_benchmark(corpus, NamedVectors(np.load(vectors), "lsa"), m=TOPICS, k=sized(5, 2))
    built = time.perf_counter()
    written = write_benchmark(benchmark, place / "raven")
    folder = time.perf_counter()
    write_benchmark(benchmark, place / "raven.zip")
    zipped = time.perf_counter()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    facts = {"built": built - start, "folder": folder - built, "zip": zipped - folder, "memory": memory}
    print(json.dumps(facts | {"files": written.files, "bytes": written.bytes, "texts": written.train_texts}))


def checksums(place: Path) -> dict[str, str]:
    files = (file for file in place.rglob("*") if file.is_file())
    return {str(file.relative_to(place)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def main() -> int:
    file = newsgroups()
    if not file.exists():
        print("skipped: ../shared/data/20newsgroups.parquet is not here")
        return 0
    vectors = embed(read_corpus(file), make_encoder("lsa"), store=VectorStore())
    found, sums = [], []
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/vectors.npy", vectors.matrix)
        for hash_seed in ("1", "2"):
            place = Path(folder, hash_seed)
            place.mkdir()
            command = [sys.executable, "-m", "bench.raven", str(file), f"{folder}/vectors.npy", str(place)]
            environment = os.environ | {"PYTHONHASHSEED": hash_seed}
            done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
            found.append(json.loads(done.stdout))
            sums.append(checksums(place))
        start = time.perf_counter()
        benchmark = read_benchmark(Path(folder, "1", "raven"))
        reading = time.perf_counter() - start
        packed = Path(folder, "1", "raven.zip").stat().st_size
    first = found[0]
    total = first["built"] + first["folder"]
    for setup in benchmark.setups:
        pairs = {name: sum(len(fold.side(name)) for fold in setup.folds) for name in ("train", "test")}
        print(
            f"{setup.key:10}  {pairs['train']:,} training and {pairs['test']:,} test pairs in {len(setup.folds)} folds"
        )
    print(f"built in    {first['built']:.1f} s, the corpus's reading included")
    print(f"folder      {first['folder']:.1f} s, {first['files']} files, {first['bytes'] / 1e6:,.0f} MB")
    print(f"archive     {first['zip']:.1f} s, {packed / 1e6:,.0f} MB")
    print(f"read again  {reading:.1f} s, every checksum verified")
    print(f"memory      {first['memory']:.2f} GiB at most")
    print(f"training pairs {'carry' if first['texts'] else 'do not carry'} their texts")
    same = sums[0] == sums[1]
    print(f"two processes wrote {'the same bytes' if same else 'DIFFERENT bytes'} in {len(sums[0])} files")
    passed = same and total + first["zip"] < MOST_SECONDS and first["memory"] < MOST_MEMORY
    print(f"{'ok' if passed else 'FAILED'}: the same bytes, below {MOST_SECONDS} s and {MOST_MEMORY} GiB wanted")
    return exit_code(exact=same, measured=passed)


if __name__ == "__main__":
    sys.exit(main() if len(sys.argv) == 1 else build(*sys.argv[1:3], Path(sys.argv[3])))
