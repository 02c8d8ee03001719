import { useEffect, useState } from 'preact/hooks';
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
      const response = await fetch(`/identity/events/live${query}`, { headers, signal });
      if (!response.ok) throw new Error(`the service answered ${response.status}`);
      return (await response.json()) as { watch: { index: string }; events: readonly { kind: object }[] };
    }).subscribe({
      next: signal => {
        if (signal.kind === 'status') setState(signal.status.state);
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
