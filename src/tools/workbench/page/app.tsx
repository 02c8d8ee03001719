import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import type { Type } from './do/index.js';
import { createEmulatorClient, type EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { Panes } from './panes.js';
import { ResultView, type ShownResult } from './result.js';

/** How many requests are kept, besides those that are open. */
const MAX_REQUESTS = 1_000;

/** The whole page. It needs the secret of the emulator. */
export function App({ secret }: { secret: string }) {
  const client = useMemo(() => createEmulatorClient(secret), [secret]);
  const [result, setResult] = useState<ShownResult>();
  const { view, requests, status, ahead } = useEmulator(client, setResult);
  const attempt = (act: () => Promise<ShownResult>) => act().then(setResult, setResult);
  const type: Type = line => attempt(() => client.type(line));
  return (
    <>
      {view ? (
        <Panes {...{ client, view, requests, status, ahead, type, attempt }} />
      ) : (
        <>
          <Header status={status} />
          <main>{result === undefined && <p>Looking for the emulator…</p>}</main>
        </>
      )}
      <ResultView result={result} close={() => setResult(undefined)} />
    </>
  );
}

/** The state of the emulator, kept up to date. Calls `end` if the emulator rejects the secret. */
function useEmulator(client: EmulatorClient, end: (error: Error) => void) {
  const [view, setView] = useState<WorldView>();
  const [ahead, setAhead] = useState(0);
  const [requests, setRequests] = useState<readonly SeenRequest[]>([]);
  const [status, setStatus] = useState<WatchStatus>();
  useEffect(() => {
    const watching = client.signal$.subscribe({
      next: signal => {
        if (signal.kind === 'status') setStatus(signal.status);
        if (signal.kind !== 'answer') return;
        const { answer } = signal;
        setAhead(answer.now - Date.now());
        setView(answer);
        setRequests(known => merged(known, answer.requests));
      },
      error: () => {
        // Otherwise a reload of the page would try the rejected secret again.
        sessionStorage.clear();
        end(new Error('The secret is another one: open the URL that the emulator has printed last.'));
      },
    });
    return () => watching.unsubscribe();
  }, [client]);
  return { view, ahead, requests, status };
}

/** The requests, each once and by id. Of two versions of a request, the one in `more` is newer. */
function merged(known: readonly SeenRequest[], more: readonly SeenRequest[]): readonly SeenRequest[] {
  const all = new Map([...known, ...more].map(request => [request.id, request]));
  const sorted = [...all.values()].sort((a, b) => a.id - b.id);
  return sorted.filter(({ ended_at }, i) => ended_at == null || i >= sorted.length - MAX_REQUESTS);
}
