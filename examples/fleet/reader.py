# Prints the records of a fleet, a line of JSON each, with Python's standard library alone:
#   python3 reader.py [host:port] [position to start at]
import json
import socket
import sys
from urllib.parse import unquote

HOST, _, PORT = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:4222").partition(":")
START = int(sys.argv[2]) if len(sys.argv) > 2 else 1
STREAM, INBOX = "LOBBY_EVENTS", "_INBOX.reader"

nats = socket.create_connection((HOST, int(PORT))).makefile("rwb")


def send(*lines):
    nats.write("".join(line + "\r\n" for line in lines).encode())
    nats.flush()


def messages():
    """Yields subject, reply, headers and data of each message, and answers the pings of the server."""
    while line := nats.readline():
        verb, *words = line.decode().split()
        if verb == "PING":
            send("PONG")
        if verb == "-ERR":
            sys.exit(line.decode())
        if verb not in ("MSG", "HMSG"):
            continue
        size = int(words[-1])
        start = int(words[-2]) if verb == "HMSG" else 0
        whole = nats.read(size + 2)[:size]
        pairs = (field.split(":", 1) for field in whole[:start].decode().split("\r\n")[1:] if field)
        reply = words[2] if len(words) > (4 if verb == "HMSG" else 3) else ""
        yield words[0], reply, {name: value.strip() for name, value in pairs}, whole[start:]


def ask_next():
    wanted = json.dumps({"batch": 1, "expires": 30_000_000_000})
    send(f"PUB $JS.API.CONSUMER.MSG.NEXT.{STREAM}.{consumer} {INBOX}.next {len(wanted)}", wanted)


config = {"ack_policy": "none", "deliver_policy": "by_start_sequence", "opt_start_seq": START}
create = json.dumps({"stream_name": STREAM, "config": config})
send('CONNECT {"verbose":false,"headers":true}', f"SUB {INBOX}.* 1")
send(f"PUB $JS.API.CONSUMER.CREATE.{STREAM} {INBOX}.created {len(create)}", create)

parts = {}  # of records that are not complete: the text up to each position
for subject, reply, headers, data in messages():
    if subject == f"{INBOX}.created":
        if "error" in (answer := json.loads(data)):
            sys.exit(answer["error"]["description"])
        consumer = answer["name"]
    ask_next()
    if headers.get("Lobby-Version") != "2":
        continue
    position, stored_at = int(reply.split(".")[5]), int(reply.split(".")[7]) // 1_000_000
    text = parts.pop(int(headers.get("Lobby-Part", "0")), b"") + data
    if "Lobby-Key" not in headers:
        parts[position] = text
        continue
    record = {"identity_id": unquote(subject.split(".")[-1]), "position": position}
    record |= {"index": unquote(headers["Lobby-Index"]), "at": stored_at - int(headers["Lobby-Age"])}
    record |= {"gap": json.loads(unquote(headers.get("Lobby-Gap", "null")))}
    print(json.dumps(record | {"events": json.loads(text)["events"]}), flush=True)
