# Server and admin tools in one: the compose file names each by its own tag, and starts each by its own command.
FROM debian:bookworm-slim
COPY temporal temporal-server temporal-sql-tool /usr/local/bin/
RUN groupadd --gid 1000 temporal && useradd --uid 1000 --gid temporal --create-home temporal
USER temporal
