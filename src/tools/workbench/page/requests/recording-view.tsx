import { useEffect, useRef, useState } from 'preact/hooks';
import type { LobbyMarbles } from '../../../marbles/index.js';
import type { RecordedLine } from '../../../emulator/index.js';
import { kindsIn, type SeenRequest } from '../../world-view.js';
import { drawnRequests } from './drawn-requests.js';
import { RequestTable } from './request-table.js';

/** A recording of a client, as a whole: its marbles, and its requests. */
export function RecordingView({ name, requests }: { name: string; requests: readonly SeenRequest[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const changes = requests
      .flatMap(request => {
        const { at, ended_at } = request;
        const begun = { ...request };
        delete begun.ended_at;
        return [[at, begun] as const, ...(ended_at == null ? [] : [[ended_at, request] as const])];
      })
      .sort(([a], [b]) => a - b);
    const first = changes[0]?.[0] ?? 0;
    const last = changes.at(-1)?.[0] ?? 0;
    const marbles: LobbyMarbles = document.createElement('lobby-marbles');
    const width = place.current!.clientWidth;
    marbles.setAttribute('scale', String(width / Math.max(1, (last - first) / 1_000 + 1)));
    let now = first;
    marbles.now = () => now;
    const draw = drawnRequests(marbles);
    for (const [at, request] of changes) {
      now = at;
      draw([request]);
    }
    place.current!.replaceChildren(marbles);
    setSeconds((last - first) / 1_000);
  }, [requests]);
  return (
    <section aria-labelledby="recording">
      <h2 id="recording">{name}</h2>
      <p>
        {requests.length} requests in {seconds.toFixed(1)} s
      </p>
      <div ref={place} />
      <RequestTable requests={requests} name={`Requests of ${name}`} />
    </section>
  );
}

/** The requests in a recording of `withRecording`. Throws an error if it is none. */
export function requestsIn(recording: string): readonly SeenRequest[] {
  const [head = '', ...lines] = recording.trim().split('\n');
  if (!head.includes('"recording":"lobby-rx"')) throw new Error('This file is no recording of lobby-rx.');
  const requests = new Map<number, SeenRequest>();
  for (const line of lines) {
    const entry = parsed(line);
    if (entry?.kind === 'request' && URL.canParse(entry.url)) {
      const { id, at, method, url, poll = false } = entry;
      const { pathname, search } = new URL(url);
      requests.set(id, {
        ...{ id, at, method, path: pathname + search, is_poll: poll },
        ...{ who: 'the client', who_id: '', events: [], has_news: false },
      });
    }
    const request = entry && requests.get(entry.id);
    if (!request || entry.kind === 'request' || entry.kind === 'arrival') continue;
    const events = entry.kind === 'answer' ? kindsIn(entry.text) : [];
    const answer =
      entry.kind === 'answer' ? { status: entry.status, events, has_news: events.length > 0 } : {};
    const failure = entry.kind === 'failure' ? { status: 0 } : {};
    requests.set(entry.id, { ...request, ended_at: entry.at, ...answer, ...failure });
  }
  return [...requests.values()];
}

/** The last line may be cut off. */
function parsed(line: string): RecordedLine | undefined {
  try {
    return JSON.parse(line) as RecordedLine;
  } catch {
    return undefined;
  }
}
