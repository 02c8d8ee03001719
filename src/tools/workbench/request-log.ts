import { BehaviorSubject, defer, EMPTY, finalize, merge, tap } from 'rxjs';
import { faultKinds, type Emulator, type Handler } from '../emulator/index.js';
import { kindsIn, type SeenRequest } from './world-view.js';

/** A request, whose token tells who has sent it. */
export interface LoggedRequest {
  readonly token: string | undefined;
  readonly request: Omit<SeenRequest, 'who'>;
  /** The beginning of its answer. */
  answer?: string;
  /** What the revision was when it changed last. */
  revision: number;
}

/** How many requests are kept, and how much of each answer. */
const MOST = 1_000;
const KEPT = 4_000;

/** In an answer, the value of a field that is called a token. */
const TOKEN = /("\w*token"\s*:\s*(?:\{\s*"\w+"\s*:\s*)?")[^"]*/g;

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
      return { ...emulator, ...Object.fromEntries(commands), handle: seen(emulator) };
    },
    since: (revision: number): readonly LoggedRequest[] => log.filter(entry => entry.revision > revision),
    answerOf: (id: number): string | undefined => log.find(({ request }) => request.id === id)?.answer,
  };

  function seen({ handle, faultCounts }: Emulator): Handler {
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
        const before = { ...faultCounts };
        /** The fault that has been taken from those that were planned, as the request came. */
        const faultOf = () => {
          const fault = faultKinds.find(kind => faultCounts[kind] !== before[kind]);
          return fault && { fault };
        };
        let isTaken = false;
        const answer$ = handle(request).pipe(
          tap(({ status, body, delivery = 'whole' }) => {
            const isWhole = delivery === 'whole';
            if (isWhole) entry.answer = body.slice(0, KEPT).replace(TOKEN, '$1…');
            const events = isWhole ? kindsIn(body) : [];
            change({ ended_at: now(), status: isWhole ? status : 0, events, ...(!isTaken && faultOf()) });
          }),
        );
        // One that keeps the client waiting is seen at once.
        const fault$ = defer(() => {
          isTaken = true;
          const fault = faultOf();
          if (fault) change(fault);
          return EMPTY;
        });
        return merge(answer$, fault$).pipe(
          finalize(() => {
            if (entry.request.ended_at === undefined) change({ ended_at: now() });
          }),
        );
      });
  }
}
