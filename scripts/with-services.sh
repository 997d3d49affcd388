#!/usr/bin/env bash
# with-services.sh [SERVICE…] -- COMMAND…
# Runs a command with the services that it names: postgres, pgbouncer, redis, bubblewrap, nginx, chromium, tmux, node24.
# Postgres and Redis are started where none answers, and stopped afterwards; programs that are missing are installed
# with apt-get. The command finds REQUIRE_SERVICES=1, with which a test that finds no service fails, and, where they
# differ from the usual ones, TEST_DATABASE_URL, TEST_REDIS_URL, CHROMIUM and NODE_24. Needs bash, Node and `npm ci`.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
redis_pid=''
postgres_bin=''

main() {
  trap finish EXIT
  while [ "$1" != -- ]; do
    "provide_$1"
    shift
  done
  shift
  export REQUIRE_SERVICES=1
  "$@"
}

# --- Postgres -------------------------------------------------------------------------------------------------------

provide_postgres() {
  if [ -n "${TEST_DATABASE_URL:-}" ]; then
    echo 'Postgres: TEST_DATABASE_URL'
  elif postgres_answers; then
    echo 'Postgres: answers on port 5432'
  elif start_installed_cluster; then
    echo 'Postgres: started the installed cluster'
  else
    start_cluster_of_our_own
  fi
  have_postgres # tests that stop a server start one of their own
}

# As postgres and without a password, like the tests.
postgres_answers() {
  node --input-type=module -e '
    import pg from "pg";
    const client = new pg.Client("postgres://postgres@127.0.0.1:5432/postgres");
    await client.connect();
    await client.end();
  ' 2>/dev/null
}

start_installed_cluster() {
  command -v pg_lsclusters >/dev/null || return 1
  local version name port rest
  while read -r version name port rest; do
    if [ "$port" = 5432 ]; then pg_ctlcluster "$version" "$name" start && wait_until 30 postgres_answers && return; fi
  done < <(pg_lsclusters --no-header)
  return 1
}

# A cluster in the scratch folder trusts local connections and is gone afterwards, whatever the system's own one does.
start_cluster_of_our_own() {
  have_postgres
  local port
  port=$(free_port)
  mkdir "$scratch/postgres"
  if [ "$(id -u)" = 0 ]; then chown postgres "$scratch/postgres" && chmod 711 "$scratch"; fi
  as_postgres "$postgres_bin/initdb" --pgdata="$scratch/postgres" --username=postgres --auth=trust --encoding=UTF8 >/dev/null
  as_postgres "$postgres_bin/pg_ctl" --pgdata="$scratch/postgres" --log="$scratch/postgres/log" --wait \
    --options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
  export TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres"
  echo "Postgres: started a cluster on port $port"
}

have_postgres() {
  find_postgres || { install postgresql && find_postgres; }
}

find_postgres() {
  local found
  found=$(command -v initdb || ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -n 1)
  [ -n "$found" ] || return 1
  postgres_bin=$(dirname "$found")
}

# --- Redis ----------------------------------------------------------------------------------------------------------

provide_redis() {
  have redis-server # tests that stop a server start one of their own
  if [ -n "${TEST_REDIS_URL:-}" ]; then
    echo 'Redis: TEST_REDIS_URL'
  elif redis_answers 6379; then
    echo 'Redis: answers on port 6379'
  else
    start_redis
  fi
}

redis_answers() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'PING\r\n' >&3 && read -r -t 2 answer <&3 && [[ $answer == +PONG* ]]) 2>/dev/null
}

# In the foreground of a job of ours, with nothing on disk.
start_redis() {
  local port
  port=$(free_port)
  redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$scratch" >"$scratch/redis.log" 2>&1 &
  redis_pid=$!
  wait_until 10 redis_answers "$port" || { cat "$scratch/redis.log"; return 1; }
  export TEST_REDIS_URL="redis://127.0.0.1:$port"
  echo "Redis: started one on port $port"
}

# --- Programs -------------------------------------------------------------------------------------------------------

provide_pgbouncer() {
  [ -x /usr/sbin/pgbouncer ] || install pgbouncer
}

provide_bubblewrap() {
  have bwrap bubblewrap
}

provide_nginx() {
  have nginx
}

provide_chromium() {
  export CHROMIUM=${CHROMIUM:-$(command -v chromium || true)}
  [ -n "$CHROMIUM" ] || { install chromium && CHROMIUM=$(command -v chromium); }
}

provide_tmux() {
  have tmux
}

# --- Node 24 --------------------------------------------------------------------------------------------------------

# The package `node` would download this one in an install script, which npm may refuse to run.
provide_node24() {
  local name folder=node_modules/.cache/node-24
  name=$(node -p '`node-${process.platform}-${process.arch}`')
  export NODE_24="$PWD/$folder/node_modules/$name/bin/node"
  [ -x "$NODE_24" ] || npm install --no-save --no-audit --no-fund --ignore-scripts --prefix "$folder" "$name@24" >/dev/null
}

# --- Helpers --------------------------------------------------------------------------------------------------------

# have PROGRAM [PACKAGE]
have() {
  command -v "$1" >/dev/null || install "${2:-$1}"
}

install() {
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

free_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# wait_until SECONDS COMMAND…
wait_until() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

finish() {
  local code=$?
  if [ -n "$redis_pid" ]; then kill "$redis_pid" 2>/dev/null || true; fi
  if [ -d "$scratch/postgres" ]; then
    as_postgres "$postgres_bin/pg_ctl" --pgdata="$scratch/postgres" --mode=immediate stop >/dev/null 2>&1 || true
  fi
  rm -rf "$scratch"
  exit "$code"
}

main "$@"
