import { useEffect, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { WorldView } from '../world-view.js';
import type { RunLine } from './actions/index.js';
import type { EmulatorClient } from './emulator-client.js';
import { Header } from './header.js';
import { clientsOf } from './outcome/index.js';
import { Panes, type Known } from './panes.js';
import { ResultView, type ShownResult } from './result.js';

/** How many requests are kept, besides those that are open. */
const MAX_REQUESTS = 1_000;

/** The whole page. */
export function App({ client }: { client: EmulatorClient }) {
  const [result, setResult] = useState<ShownResult>();
  const { known, status } = useEmulator(client, setResult);
  const attempt = (act: () => Promise<ShownResult>) => act().then(setResult, setResult);
  const runLine: RunLine = line => attempt(() => client.type(line));
  return (
    <>
      {known ? (
        <Panes client={client} known={known} status={status} runLine={runLine} attempt={attempt} />
      ) : (
        <Header status={status} />
      )}
      <ResultView result={result} close={() => setResult(undefined)} />
    </>
  );
}

/** The state of the emulator, kept up to date. Calls `end` if the emulator rejects the secret. */
function useEmulator(client: EmulatorClient, end: (error: Error) => void) {
  const [known, setKnown] = useState<Known>();
  const [status, setStatus] = useState<WatchStatus>();
  useEffect(() => {
    const watching = client.signal$.subscribe({
      next: signal => {
        if (signal.kind === 'status') setStatus(signal.status);
        if (signal.kind === 'answer') setKnown(before => knownAfter(before, signal.answer));
      },
      error: () => {
        // Otherwise a reload of the page would try the rejected secret again.
        sessionStorage.clear();
        end(new Error('The secret is another one: open the URL that the emulator has printed last.'));
      },
    });
    return () => watching.unsubscribe();
  }, [client]);
  return { known, status };
}

/** The state after an answer. A request in the answer replaces its older version. */
function knownAfter(before: Known | undefined, view: WorldView): Known {
  const both = [...(before?.requests ?? []), ...view.requests];
  const all = [...new Map(both.map(request => [request.id, request])).values()];
  const sorted = all.sort((a, b) => a.id - b.id);
  const requests = sorted.filter(({ ended_at }, i) => ended_at == null || i >= sorted.length - MAX_REQUESTS);
  const clients = clientsOf(requests, view.groups, before?.clients);
  return { view, requests, clients, ahead: view.now - Date.now() };
}
