#!/usr/bin/env bash
# Unpacks the nats-server of Debian testing of today into a folder, without installing anything.
# `.ci/run` calls it, and appends the program's path to NATS_SERVERS: the servers that test:fleet runs with.
set -euo pipefail
folder=$(realpath -m "${1:?say into which folder}")
release=testing
apt="$folder/apt-$release"
mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" >"$apt/etc/sources.list"
options=(-o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "Dir::Etc::sourcelist=$apt/etc/sources.list"
  -o Dir::Etc::sourceparts=/dev/null -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root)
apt-get "${options[@]}" update -qq
(cd "$apt" && apt-get "${options[@]}" download -qq nats-server)
dpkg -x "$apt"/nats-server_*.deb "$folder/$release"
rm -rf "$apt"
"$folder/$release/usr/sbin/nats-server" --version
