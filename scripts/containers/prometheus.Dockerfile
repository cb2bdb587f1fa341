FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends wget && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=nobody --group=nogroup /prometheus
COPY prometheus /bin/
USER nobody
ENTRYPOINT ["/bin/prometheus"]
