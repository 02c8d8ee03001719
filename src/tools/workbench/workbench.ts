import { asyncScheduler, delay, filter, map, merge, of, take, timer, type SchedulerLike } from 'rxjs';
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
import { checkArgument, InputError, nonEmptyString, plainObject } from '../../error/index.js';
import { RequestLog } from './request-log.js';
import { WorkbenchActions } from './workbench-actions.js';
import { pageAnswer } from './workbench-page.js';
import { ownerOf, viewOfWorld, type WorldView } from './world-view.js';

/**
 * How long a watch of the page is held if nothing happens, and how long it collects changes, in ms.
 */
const HELD = 20_000;
const COLLECTED = 100;

/** The furthest that the clock moves at once, in ms. */
const DAY = 86_400_000;

/** An emulator that people look at and change in a page. Its clock can be moved. */
export interface Workbench {
  readonly emulator: Emulator;
  readonly control: Control;
  readonly world: SeededWorld;
  /** The page, and what it asks for: see `ListenConfig.workbench`. */
  readonly workbench: Handler;
}

/** Creates a workbench. `seed` fills its world; `page` is the HTML of the page. */
export function createWorkbench(
  config: EmulatorConfig,
  seed: (emulator: Emulator) => SeededWorld,
  page: string,
): Workbench {
  /** How far the clock is ahead, in ms. */
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const scheduler = Object.create(asyncScheduler, { now: { value: now } }) as SchedulerLike;
  const actions = new WorkbenchActions(scheduler);
  const log = new RequestLog(now, actions.cut$);
  const emulator = log.observed(createEmulator({ ...config, scheduler }), actions.called);
  const world = seed(emulator);
  const control = actions.observed(createControl(emulator, world), emulator, world.identityId);

  const viewSince = (index: number): WorldView => {
    const saved = emulator.save();
    const revision = log.revision$.value;
    // An index of another process may be larger than any of this one.
    const requests = log.since(index > revision ? 0 : index).map(({ token, request }) => ({
      ...request,
      ...ownerOf(token, saved),
    }));
    const watch = { index: String(revision) };
    return {
      now: now(),
      reservation: config.reservation ?? 120_000,
      retention: config.retention ?? 300_000,
      ...viewOfWorld(emulator, saved),
      actions: actions.list,
      self: world.identityId,
      help: control.help,
      requests,
      watch,
    };
  };
  const watchWorld = (index: string | null) => {
    const known = Number(index ?? 0);
    const change$ = log.revision$.pipe(
      filter(revision => revision !== known),
      take(1),
      delay(index === null ? 0 : COLLECTED),
    );
    return merge(change$, timer(HELD)).pipe(
      take(1),
      map(() => json(viewSince(known))),
    );
  };
  const moveClock = (body: string | undefined) => {
    const { ms } = bodyOf(body, 'body');
    if (!Number.isSafeInteger(ms) || Math.abs(ms as number) > DAY)
      throw new InputError('ms', `a whole number from -${DAY} to ${DAY}`, 'something else');
    ahead += ms as number;
    log.revise();
    return { message: `the clock of the service has moved by ${String(ms)} ms` };
  };

  return {
    emulator,
    world,
    control,
    workbench: ({ method, url, body }) => {
      const { pathname, searchParams } = new URL(url, 'http://workbench');
      const what = `${method} ${pathname.replace(/^\/_emulator\/workbench\/?/, '')}`;
      if (what === 'GET ') return of(pageAnswer(page));
      if (what === 'GET world') return watchWorld(searchParams.get('watch_index'));
      if (what === 'GET answer')
        return of(json({ text: log.answerOf(Number(searchParams.get('id'))) ?? '' }));
      if (what === 'POST clock') return of(json(moveClock(body)));
      if (what === 'POST type')
        return of(json(control.type(checkArgument('line', nonEmptyString, bodyOf(body, 'body').line))));
      if (what !== 'GET saved') return of({ ...json({ message: 'there is no such thing' }), status: 404 });
      return of(json({ saved: emulator.save(), world }));
    },
  };
}

function bodyOf(body: string | undefined, name: string): Readonly<Record<string, unknown>> {
  try {
    return checkArgument(name, plainObject, JSON.parse(body ?? ''));
  } catch {
    throw new InputError(name, 'a JSON object', 'something else');
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
