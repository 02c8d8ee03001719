import type { Observable } from 'rxjs';
import { recovery } from '../../../error/index.js';
import { watchSignals, type WatchSignal } from '../../../stream/index.js';
import type { SeenBearer, WorldView } from '../world-view.js';

/** The result of a command. */
export type Result = Readonly<Record<string, unknown>>;

/** The emulator that serves this page. */
export interface EmulatorClient {
  /** The state of the emulator, each time that it changes. */
  readonly signal$: Observable<WatchSignal<WorldView>>;
  /** Runs a line of the terminal. Rejects with an error that says what is wrong with the line. */
  readonly type: (line: string) => Promise<Result>;
  /** Moves the clock of the service by `ms`. */
  readonly moveClock: (ms: number) => Promise<Result>;
  /** The beginning of the answer to a request, without tokens. */
  readonly answerOf: (id: number) => Promise<string>;
  /** The newest valid token of an identity, or an expired one if none is valid. */
  readonly bearerOf: (who_id: string) => Promise<SeenBearer>;
}

/**
 * The waits are short, because people who restart an emulator look at this page. The emulator
 * answers each poll of the page within 20 s.
 */
const PACE = { backoff: { initial: 200, max: 1_000 }, timeout: 25_000 };
/** How long a command may take, in ms. */
const COMMAND_TIMEOUT_MS = 10_000;

export function createEmulatorClient(secret: string): EmulatorClient {
  const ask = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`/_emulator/workbench/${path}`, { ...init, headers }).catch(() => {
      throw new Error('The emulator does not answer.');
    });
    const answer: unknown = JSON.parse(await response.text());
    const { ok, status } = response;
    if (!ok) throw Object.assign(new Error((answer as { message: string }).message), { status });
    return answer as T;
  };
  const post = (path: string, fields: object) =>
    ask<Result>(path, {
      method: 'POST',
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(COMMAND_TIMEOUT_MS),
    });
  return {
    signal$: watchSignals(
      (index, { signal }) => {
        const query = index === undefined ? '' : `?watch_index=${index}`;
        return ask<WorldView>(`world${query}`, { signal });
      },
      {
        ...PACE,
        recovery: error =>
          (error as { status?: number }).status === 401 ? { kind: 'end' } : recovery(error),
      },
    ),
    type: line => post('type', { line }),
    moveClock: ms => post('clock', { ms }),
    answerOf: async id => (await ask<{ readonly text: string }>(`answer?id=${id}`)).text,
    bearerOf: who_id => ask<SeenBearer>(`bearer?who_id=${encodeURIComponent(who_id)}`),
  };
}
