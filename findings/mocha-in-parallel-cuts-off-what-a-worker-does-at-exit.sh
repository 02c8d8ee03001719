#!/usr/bin/env bash
# mocha 12.0.3 with --parallel, where a worker is busy for 2 s in its `exit` handler, as it is while
# V8 writes a large NODE_V8_COVERAGE file. Guess: mocha waits for its workers. Seen: the pool kills
# the worker after a second, its handler never ends, and the run is green. Nothing is printed, so
# coverage is missing without a sign. Without --parallel the handler ends. Exits 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mocha@12.0.3
cat >slow.test.js <<'JS'
const { writeFileSync } = require('node:fs');
it('is green', () => {
  process.on('exit', () => {
    writeFileSync('begun', '');
    const end = Date.now() + 2_000;
    while (Date.now() < end);
    writeFileSync('ended', '');
  });
});
JS
cp slow.test.js other.test.js
seen() {
  rm -f begun ended
  local code=0
  timeout 60 npx mocha "$@" --reporter min '*.test.js' >/dev/null || code=$?
  # A worker may outlive mocha itself.
  sleep 3
  echo "begun $([[ -e begun ]] && echo yes || echo no), ended $([[ -e ended ]] && echo yes || echo no), exit code $code"
}
parallel=$(seen --parallel --jobs 2)
serial=$(seen)
echo "mocha 12.0.3, Node $(node --version): --parallel: $parallel; without: $serial"
[[ $parallel == 'begun yes, ended no, exit code 0' && $serial == 'begun yes, ended yes, exit code 0' ]]
