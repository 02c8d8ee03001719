import { useState } from 'preact/hooks';
import type { WorldView } from '../../world-view.js';
import { CommandForm, type Run } from './command-form.js';
import { FAULTS } from './faults.js';

const MINUTE_MS = 60_000;

/** What can be made to happen to the group and the service. */
export function Service({ view, run }: { view: WorldView; run: Run }) {
  const [kind, setKind] = useState('html');
  return (
    <section aria-labelledby="service">
      <h2 id="service">The group and the service</h2>
      <CommandForm command="join" label="Someone joins" run={run}>
        <input name="name" aria-label="Name of the new member" placeholder="their name" />
      </CommandForm>
      <div class="pair">
        <CommandForm command="player" label="Reserve a slot" run={run} />
        <form>
          <button type="button" onClick={() => void run('workbench/clock', { ms: MINUTE_MS })}>
            Clock + 1 min
          </button>
        </form>
      </div>
      <p>
        <small>The clock is that of the service only: a client does not notice, and has no gap.</small>
      </p>
      <CommandForm command="fault" label="Plan a fault" run={run}>
        <select
          name="kind"
          aria-label="Kind of the fault"
          value={kind}
          onChange={event => setKind(event.currentTarget.value)}
        >
          {view.fault_kinds.map(one => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <select name="times" aria-label="How often">
          {['1', '3', '10', 'always'].map(times => (
            <option key={times} value={times}>
              {times === 'always' ? times : `× ${times}`}
            </option>
          ))}
        </select>
        <select name="only" aria-label="For which requests">
          <option value="">all</option>
          <option value="/live">events</option>
          <option value="/members">members</option>
          <option value="/players">players</option>
        </select>
      </CommandForm>
      <p>
        <small>{FAULTS[kind]} A poll that is held is not affected: the next request is.</small>
      </p>
      {view.planned.length > 0 && (
        <>
          <p>
            Planned:{' '}
            {view.planned.map(({ kind, left }) => `${kind} × ${left.replace('Infinity', '∞')}`).join(', ')}
          </p>
          <CommandForm command="fault" label="No more faults" run={run}>
            <input type="hidden" name="kind" value="off" />
          </CommandForm>
        </>
      )}
    </section>
  );
}
