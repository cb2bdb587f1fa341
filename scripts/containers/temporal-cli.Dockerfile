FROM debian:bookworm-slim
COPY temporal /usr/local/bin/
ENTRYPOINT ["temporal"]
