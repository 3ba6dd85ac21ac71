# Leakscope as a server; docs/hosting.md says how to build it, run it and put a proxy in front.
# A Hugging Face Space runs it too: its README begins with `sdk: docker` and `app_port: 8501`, and its user is 1000.
FROM python:3.11-slim

# For parallel loops of numba and scikit-learn.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY requirements.lock .
# The index that has torch's builds for machines without a graphics card is pip's setting, given at build time.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
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
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["streamlit", "run", "app.py", "--server.headless", "true", "--server.address", "0.0.0.0", "--server.port", "8501"]
