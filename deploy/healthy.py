"""Ends well if the server of this container is healthy: for the Dockerfile's HEALTHCHECK."""

import os
from urllib.request import urlopen

address = "http://localhost:" + os.environ.get("STREAMLIT_SERVER_PORT", "8501")
base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
urlopen("/".join(filter(None, (address, base, "_stcore/health"))), timeout=5).close()
