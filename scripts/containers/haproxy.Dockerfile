# Debian's HAProxy, of the same minor version.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/*
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
