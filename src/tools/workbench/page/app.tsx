import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WatchStatus } from '../../../stream/index.js';
import type { SeenRequest, WorldView } from '../world-view.js';
import { Actions } from './actions.js';
import type { Run, ShownResult } from './command-form.js';
import { createEmulatorClient } from './emulator-client.js';
import { Groups } from './groups.js';
import { LiveMarbles } from './live-marbles.js';
import { Lobbies } from './lobbies.js';
import { RecordingView, requestsIn } from './recording-view.js';
import { RequestTable } from './request-table.js';

/** How many requests are kept. */
const MOST = 1_000;

/** The whole page, for someone who knows the secret. */
export function App({ secret }: { secret: string }) {
  const client = useMemo(() => createEmulatorClient(secret), [secret]);
  const [view, setView] = useState<WorldView>();
  const [ahead, setAhead] = useState(0);
  const [requests, setRequests] = useState<readonly SeenRequest[]>([]);
  const [status, setStatus] = useState<WatchStatus>();
  const [result, setResult] = useState<ShownResult>();
  const [recording, setRecording] = useState<Parameters<typeof RecordingView>[0]>();
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
      error: () =>
        setResult(new Error('The secret is another one: open the URL that the emulator has printed last.')),
    });
    return () => watching.unsubscribe();
  }, [client]);

  const attempt = (act: () => Promise<ShownResult>) => {
    act().then(setResult, setResult);
  };
  const run: Run = (command, fields) => attempt(() => client.run(command, fields));
  const save = async () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([await client.save()], { type: 'application/json' }));
    link.download = 'world.json';
    link.click();
    URL.revokeObjectURL(link.href);
    return { message: 'the world is saved' };
  };
  const load = async (file: File) => client.load(await file.text());
  const look = async (file: File) => {
    setRecording({ name: file.name, requests: requestsIn(await file.text()) });
    return { message: `${file.name} is below` };
  };
  return (
    <main>
      <header>
        <h1>lobby-rx workbench</h1>
        <p role="status">{status?.state}</p>
      </header>
      {view ? (
        <>
          <LiveMarbles requests={requests} ahead={ahead} />
          <Actions view={view} run={run} result={result} />
          <div class="columns">
            <Lobbies view={view} ahead={ahead} />
            <Groups view={view} />
          </div>
          <section aria-labelledby="requests">
            <h2 id="requests">Requests</h2>
            <RequestTable requests={requests} name="Log of requests" />
          </section>
        </>
      ) : (
        <p role="alert">{result instanceof Error && result.message}</p>
      )}
      <section aria-labelledby="files">
        <h2 id="files">Files</h2>
        <button type="button" onClick={() => attempt(save)}>
          Save the world
        </button>
        <FileInput label="Load a world" open={file => attempt(() => load(file))} />
        <FileInput label="Open a recording" open={file => attempt(() => look(file))} />
      </section>
      {recording && <RecordingView {...recording} />}
    </main>
  );
}

function FileInput({ label, open }: { label: string; open: (file: File) => void }) {
  const choose = (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file) open(file);
    // The same file may be opened again.
    input.value = '';
  };
  return (
    <label>
      {label} <input type="file" onChange={event => choose(event.currentTarget)} />
    </label>
  );
}

/** The requests by their ids, of which the later ones are known better. */
function merged(known: readonly SeenRequest[], more: readonly SeenRequest[]): readonly SeenRequest[] {
  const all = new Map([...known, ...more].map(request => [request.id, request]));
  return [...all.values()].sort((a, b) => a.id - b.id).slice(-MOST);
}
