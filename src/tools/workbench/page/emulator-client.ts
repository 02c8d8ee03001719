import type { Observable } from 'rxjs';
import { createClient } from '../../../client/index.js';
import { endpoint } from '../../../endpoint/index.js';
import { cursorArgument, struct } from '../../../protocol/index.js';
import type { WatchSignal } from '../../../stream/index.js';
import { WorldView } from '../world-view.js';

/** What a command has done. */
export type Result = Readonly<Record<string, unknown>>;

/** The emulator that serves this page. */
export interface EmulatorClient {
  /** What there is, whenever it changes. */
  readonly signal$: Observable<WatchSignal<WorldView>>;
  /** Carries out a command. Rejects with what is wrong with it. */
  readonly run: (command: string, fields?: object) => Promise<Result>;
  /** The world as text, to be saved as a file. */
  readonly save: () => Promise<string>;
  /** Replaces the world by one that was saved. */
  readonly load: (text: string) => Promise<Result>;
}

const watchWorld = endpoint({
  method: 'GET',
  service: 'api',
  path: '/_emulator/workbench/world',
  query: struct('WatchWorld', {}, { watch_index: cursorArgument }),
  response: WorldView,
});

/** Waits are short: whoever restarts an emulator looks at this page. */
const BACKOFF = { initial: 200, max: 1_000 };

export function createEmulatorClient(secret: string): EmulatorClient {
  const client = createClient({ url: location.origin, token: secret, watch: { backoff: BACKOFF } });
  const ask = async (path: string, init: RequestInit) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`/_emulator/${path}`, { ...init, headers }).catch(() => {
      throw new Error('The emulator does not answer.');
    });
    const text = await response.text();
    if (!response.ok) throw new Error((JSON.parse(text) as { message: string }).message);
    return text;
  };
  const post = async (path: string, body: string) =>
    JSON.parse(await ask(path, { method: 'POST', body })) as Result;
  return {
    signal$: client.watchSignals(watchWorld, {}),
    run: (command, fields = {}) => post(command.replaceAll(' ', '/'), JSON.stringify(fields)),
    save: () => ask('workbench/saved', {}),
    load: text => post('workbench/load', text),
  };
}
