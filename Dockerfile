# Worker and gateway. Build: `docker build --tag holdfast:0.1.0 .`; run: docker-compose.yml, docs/deployment.md.
#
# 20.20.2 is the last Node 20 of the official image. A tag can be moved. To pin the image that you have tested, write
# node:20.20.2-bookworm-slim@sha256:… in both places, with the digest that `docker buildx imagetools inspect
# node:20.20.2-bookworm-slim` prints.
# Debian, not Alpine: Temporal's native library needs glibc.

# This stage has the development dependencies, for the compiler and the workflow bundle.
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packs ./packs
COPY packages ./packages
COPY docker/package.json ./docker/
# The packs are linked to our package, and npm runs `prepare` of a linked package also with --ignore-scripts. It does nothing here.
COPY scripts/generate-http-client.mjs ./scripts/
COPY scripts/lib/http-types.mjs scripts/lib/fingerprint.mjs scripts/lib/run-child.mjs ./scripts/lib/
# Without scripts: no dependency needs its own (docs/deployment.md), and the build does the work of ours once src is there.
RUN ["npm", "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
# A page that the package of the verifier contains.
COPY docs/bundle-format.md ./docs/
RUN ["node", "scripts/build.mjs"]

# This stage removes them, and the native libraries for other systems.
FROM build AS dependencies
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-linux-gnu' -exec rm -r {} + \
  && rm -r packs/*/src packs/*/tsconfig.json packs/tsconfig.json node_modules/@holdfast/image node_modules/@holdfast/tool-kit node_modules/@holdfast/verify node_modules/create-holdfast

FROM node:20.20.2-bookworm-slim
# Temporal's native library checks TLS certificates against those of the system; the slim image has none.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# The only folder that is written to: mount a volume here. Everything else may be read-only.
RUN ["install", "--directory", "--owner=node", "--group=node", "--mode=0700", "/var/lib/holdfast"]
WORKDIR /app
COPY package.json LICENSE NOTICE ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=dependencies /app/packs ./packs
COPY --from=build /app/dist ./dist
# A worker needs a quarter less memory with few arenas of malloc and a small young generation of V8: docs/operations.md, "Speed".
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    NODE_OPTIONS=--max-semi-space-size=4 \
    HOLDFAST_HOME=/var/lib/holdfast \
    HOLDFAST_HEALTH_PORT=8481
USER node
# A container runs either a worker, which answers at its health port, or a gateway, which answers at its HTTP port. Both settings may
# be HOST:PORT. On a busy machine Node takes seconds to start.
HEALTHCHECK --interval=10s --timeout=20s --start-period=30s --retries=3 \
  CMD ["node", "-e", "Promise.any([process.env.HOLDFAST_HEALTH_PORT, process.env.HOLDFAST_HTTP_PORT || '8480'].map(async (at) => { const { ok } = await fetch(`http://127.0.0.1:${at.split(':').pop()}/healthz`); if (!ok) throw at; })).then(() => process.exit(0), () => process.exit(1))"]
# There is no npm and no shell in between, so signals reach the worker, which lets running calls end.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["worker"]
