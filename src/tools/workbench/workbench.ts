import {
  asyncScheduler,
  delay,
  filter,
  map,
  merge,
  of,
  take,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import {
  createControl,
  createEmulator,
  type Control,
  type EmulatedResponse,
  type Emulator,
  type EmulatorConfig,
  type Handler,
  type SeededWorld,
} from '../emulator/index.js';
import { checkArgument, definedOptions, InputError, nonEmptyString, plainObject } from '../../error/index.js';
import { RequestLog } from './request-log.js';
import { WorkbenchActions } from './workbench-actions.js';
import { pageAnswer } from './workbench-page.js';
import { bearerOf, ownerOf, viewOfWorld, type SeenRequest, type WorldView } from './world-view.js';

/** How long a poll of the page is held if nothing happens, in ms. */
const MAX_HOLD_MS = 20_000;
/** How long changes are collected before a poll of the page is answered, in ms. */
const COLLECTED_MS = 250;

/** What the emulator has by default, in ms. The page shows them. */
const DEFAULT_TIMES = { reservation: 120_000, retention: 300_000 };

/** The furthest that the clock moves at once, in ms. */
const DAY_MS = 86_400_000;

/** An emulator that people look at and change in a page. Its clock can be moved. */
export interface Workbench {
  readonly emulator: Emulator;
  readonly control: Control;
  readonly world: SeededWorld;
  /** Answers requests for the page, and the requests of the page. See `ListenConfig.workbench`. */
  readonly workbench: Handler;
}

/** Creates a workbench. `seed` fills its world. `page` is the HTML of the page. */
export function createWorkbench(
  config: EmulatorConfig,
  seed: (emulator: Emulator) => SeededWorld,
  page: string,
): Workbench {
  const clock = new MovableClock();
  const actions = new WorkbenchActions(clock.scheduler);
  const log = new RequestLog(clock.now, actions.cut$, actions);
  const settings = { ...DEFAULT_TIMES, ...definedOptions(config), scheduler: clock.scheduler };
  const emulator = log.observed(createEmulator(settings));
  const world = seed(emulator);
  const control = actions.observed(createControl(emulator, world), emulator, world.identityId);
  const viewSince = (revision: number): WorldView => ({
    now: clock.now(),
    reservation: settings.reservation,
    retention: settings.retention,
    ...viewOfWorld(emulator),
    actions: actions.list,
    self: world.identityId,
    commands: control.commands,
    requests: requestsSince(revision, log, emulator),
    watch: { index: String(log.revision$.value) },
  });
  const typeLine = (body: string | undefined) => {
    const line = checkArgument('line', nonEmptyString, bodyOf(body).line);
    return control.type(line);
  };
  const moveClock = (body: string | undefined) => {
    const ms = clock.move(bodyOf(body).ms);
    log.revise();
    return { message: `the clock of the service has moved by ${ms} ms` };
  };

  return {
    emulator,
    world,
    control,
    workbench: ({ method, url, body }) => {
      const { pathname, searchParams } = new URL(url, 'http://workbench');
      switch (`${method} ${pathname.replace(/^\/_emulator\/workbench\/?/, '')}`) {
        case 'GET ':
          return of(pageAnswer(page));
        case 'GET world':
          return watchRevisions(searchParams.get('watch_index'), log).pipe(
            map(known => json(viewSince(known))),
          );
        case 'GET answer':
          return of(json({ text: log.answerOf(Number(searchParams.get('id'))) ?? '' }));
        case 'GET bearer':
          return of(json(bearerOf(searchParams.get('who_id'), emulator.records)));
        case 'POST clock':
          return of(json(moveClock(body)));
        case 'POST type':
          return of(json(typeLine(body)));
        default:
          return of({ ...json({ message: 'there is no such thing' }), status: 404 });
      }
    },
  };
}

/** A clock that people can move, to see within minutes how a service runs for hours. */
class MovableClock {
  /** How far it is ahead, in ms. */
  #ahead = 0;
  readonly now = () => Date.now() + this.#ahead;
  readonly scheduler = Object.create(asyncScheduler, { now: { value: this.now } }) as SchedulerLike;

  move(ms: unknown): number {
    if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || Math.abs(ms) > DAY_MS)
      throw new InputError('ms', `a whole number from -${DAY_MS} to ${DAY_MS}`, 'something else');
    this.#ahead += ms;
    return ms;
  }
}

/** Emits the revision that the page knows, once there is another one or after `MAX_HOLD_MS`. */
function watchRevisions(index: string | null, { revision$ }: RequestLog): Observable<number> {
  const known = Number(index ?? 0);
  const change$ = revision$.pipe(
    filter(revision => revision !== known),
    take(1),
    delay(index === null ? 0 : COLLECTED_MS),
  );
  return merge(change$, timer(MAX_HOLD_MS)).pipe(
    take(1),
    map(() => known),
  );
}

/** The requests that have changed since a revision, each with the name of its sender. */
function requestsSince(revision: number, log: RequestLog, { records }: Emulator): readonly SeenRequest[] {
  // A revision larger than the last one comes from an earlier process of the emulator.
  const changed = log.since(revision > log.revision$.value ? 0 : revision);
  return changed.map(({ token, request }) => ({ ...request, ...ownerOf(token, records) }));
}

function bodyOf(body: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return checkArgument('body', plainObject, JSON.parse(body ?? ''));
  } catch {
    throw new InputError('body', 'a JSON object', 'something else');
  }
}

const json = (value: object): EmulatedResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  body: JSON.stringify(value),
});
