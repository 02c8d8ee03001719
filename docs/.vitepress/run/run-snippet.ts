import * as rxjs from 'rxjs';
import * as lobbyRx from 'lobby-rx';
import { faultKinds } from 'lobby-rx/emulator';
import { defineMarbles, type LobbyMarbles } from 'lobby-rx/marbles';
import { createPlayground, type Playground } from './playground.js';

export { faultKinds };

defineMarbles();

/** The packages that a snippet can import. */
const PACKAGES: Readonly<Record<string, object>> = { rxjs, 'lobby-rx': lobbyRx };
/** The most letters of a line that it prints. */
const MAX_LETTERS = 200;

/**
 * Runs a snippet, with the names that its readers are assumed to have, on a service in the page.
 * `code` is JavaScript with `require`. What it shows is printed, line by line.
 */
export function runSnippet(code: string, marbles: LobbyMarbles, print: (line: string) => void): Playground {
  const playground = createPlayground(marbles);
  const { client, world, stop } = playground;
  let isStopped = false;
  const show = (...values: readonly unknown[]) => {
    if (!isStopped) print(values.map(inWords).join(' ').slice(0, MAX_LETTERS));
  };
  const names = {
    client,
    group_id: world.groupId,
    identity_id: world.identityId,
    require: (name: string) => PACKAGES[name],
    exports: {},
    console: { log: show, error: show },
  };
  // The code is that of the page itself.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function(...Object.keys(names), code) as (...values: readonly unknown[]) => void;
  try {
    run(...Object.values(names));
  } catch (error) {
    show(error);
  }
  return {
    ...playground,
    stop: () => {
      isStopped = true;
      stop();
    },
  };
}

function inWords(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
