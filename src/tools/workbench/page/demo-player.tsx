import { useEffect, useState } from 'preact/hooks';
import { StatusError } from '../../../error/index.js';
import { watchSignals } from '../../../stream/index.js';
import type { EmulatorClient } from './emulator-client.js';

/** A client in this page. It follows the live events of a player. */
export function DemoPlayer({ client, who_id }: { client: EmulatorClient; who_id: string }) {
  const [state, setState] = useState('connecting');
  const [got, setGot] = useState('');
  const [gaps, setGaps] = useState(0);
  useEffect(() => {
    const watching = watchSignals(async (index, { signal }) => {
      const query = index === undefined ? '' : `?watch_index=${index}`;
      const { token } = await client.bearerOf(who_id);
      const headers = { authorization: `Bearer ${token}` };
      const url = `/identity/events/live${query}`;
      const response = await fetch(url, { headers, signal });
      const rayId = response.headers.get('rvt-ray-id') ?? undefined;
      if (!response.ok) throw new StatusError(response.status, { method: 'GET', url }, { rayId });
      return (await response.json()) as { watch: { index: string }; events: readonly { kind: object }[] };
    }).subscribe({
      next: signal => {
        if (signal.kind === 'status') {
          const { state, error } = signal.status;
          setState(error ? `${state}, because ${(error as Error).message}` : state);
        }
        if (signal.kind === 'gap') setGaps(count => count + 1);
        if (signal.kind !== 'answer') return;
        const kinds = signal.answer.events.flatMap(({ kind }) => Object.keys(kind));
        if (kinds.length > 0) setGot(`, got ${kinds.join(', ').replaceAll('_', ' ')}`);
      },
      error: (error: unknown) => setState(String(error)),
    });
    return () => watching.unsubscribe();
  }, []);
  return (
    <p role="status">
      Demo player: {state}
      {got}
      {gaps > 0 && `, gaps: ${gaps}`}
    </p>
  );
}
