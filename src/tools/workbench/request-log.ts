import { BehaviorSubject, defer, finalize, tap } from 'rxjs';
import type { Emulator, Handler } from '../emulator/index.js';
import { kindsIn, type SeenRequest } from './world-view.js';

/** A request, whose token tells who has sent it. */
export interface LoggedRequest {
  readonly token: string | undefined;
  readonly request: Omit<SeenRequest, 'who'>;
  /** What the revision was when it changed last. */
  revision: number;
}

/** How many requests are kept. */
const MOST = 1_000;

/** What changes the world of an emulator, or what is planned in it. */
const COMMANDS = [
  ...(['addIdentity', 'befriend', 'updateProfile', 'updatePresence', 'publish'] as const),
  ...(['addGroup', 'join', 'leave', 'addLobby', 'reservePlayer', 'sendLobbyJoin'] as const),
  ...(['expireToken', 'renewToken', 'fault'] as const),
] satisfies (keyof Emulator)[];

/** Counts what happens in an emulator, and lists its requests: what a watch of it needs. */
export function createRequestLog(now: () => number) {
  const log: LoggedRequest[] = [];
  const revision$ = new BehaviorSubject(1);
  const revise = () => revision$.next(revision$.value + 1);
  let requests = 0;

  return {
    /** Each change has another number. */
    revision$,
    revise,
    /** The same emulator, whose commands and requests are counted. */
    observed: (emulator: Emulator): Emulator => {
      const commands = COMMANDS.map(name => {
        const command = emulator[name] as (...fields: readonly unknown[]) => unknown;
        const counted = (...fields: readonly unknown[]) => {
          const result = command(...fields);
          revise();
          if (typeof result !== 'function') return result;
          // Withdraws what was planned.
          return () => {
            (result as () => void)();
            revise();
          };
        };
        return [name, counted] as const;
      });
      return { ...emulator, ...Object.fromEntries(commands), handle: seen(emulator.handle) };
    },
    since: (revision: number): readonly LoggedRequest[] => log.filter(entry => entry.revision > revision),
  };

  function seen(handle: Handler): Handler {
    return request =>
      defer(() => {
        const { method, url: path, headers } = request;
        if (method === 'OPTIONS') return handle(request);
        const is_poll = /[?&]watch_index=|\/events\/live/.test(path);
        const token = headers.authorization?.replace(/^Bearer /, '');
        const entry: LoggedRequest = {
          token,
          request: { id: ++requests, method, path, is_poll, at: now(), events: [] },
          revision: 0,
        };
        const change = (by: Partial<SeenRequest>) => {
          Object.assign(entry.request, by);
          entry.revision = revision$.value + 1;
          revise();
        };
        log.push(entry);
        if (log.length > MOST) log.shift();
        change({});
        return handle(request).pipe(
          tap(({ status, body, delivery = 'whole' }) => {
            const isWhole = delivery === 'whole';
            change({ ended_at: now(), status: isWhole ? status : 0, events: isWhole ? kindsIn(body) : [] });
          }),
          finalize(() => {
            if (entry.request.ended_at === undefined) change({ ended_at: now() });
          }),
        );
      });
  }
}
