FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends wget && rm -rf /var/lib/apt/lists/*
COPY temporal-ui /usr/local/bin/
COPY docker.yaml /home/ui-server/config/docker.yaml
USER 1000
WORKDIR /home/ui-server
ENTRYPOINT ["temporal-ui", "--root", "/home/ui-server", "--env", "docker", "start"]
