#!/usr/bin/env bash
# Node 20.20.2 and 22.23.3 (npm package `node`): 5,000 objects of 15 names that an object literal
# makes of a spread and three names more. Guess: the order of the spread and the names makes no
# difference. Seen: on Node 20 `{ ...base, x, y, z }` takes more than twice the heap of
# `{ x, y, z, ...base }`, since V8 gives each such object a hidden class that no other one shares.
# On Node 22 both take the same. Exits 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >heap.mjs <<'JS'
const base = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`name${i}`, i]));
const makers = [() => ({ ...base, x: 1, y: 2, z: 3 }), () => ({ x: 1, y: 2, z: 3, ...base })];
const heap = () => {
  for (let i = 0; i < 4; i++) gc();
  return process.memoryUsage().heapUsed;
};
const bytes = makers.map(make => {
  const kept = Array.from({ length: 200 }, make);
  const before = heap();
  for (let i = 0; i < 5_000; i++) kept.push(make());
  return Math.round((heap() - before) / 5_000) + kept.length * 0;
});
console.log(`${process.version}: ${bytes[0]} B with the spread first, ${bytes[1]} B with it last`);
console.log(bytes[0] > 2 * bytes[1] ? 'more' : 'alike');
JS
seen() {
  npm install --silent --no-audit --no-fund --prefix "$1" "node@$1" >/dev/null
  "$1/node_modules/node/bin/node" --expose-gc heap.mjs
}
old=$(seen 20.20.2)
new=$(seen 22.23.3)
echo "$old"
echo "$new"
[[ ${old##*$'\n'} == more && ${new##*$'\n'} == alike ]]
