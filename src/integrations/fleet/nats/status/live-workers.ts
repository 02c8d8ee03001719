import type { JetStreamManager } from '@nats-io/jetstream';
import { filter, firstValueFrom, map, merge, timer, type Observable } from 'rxjs';
import { fieldsOf, nonEmptyString, tryOr } from '../../../../error/index.js';
import { FleetError } from '../../fleet-error.js';
import type { Heartbeat } from '../../fleet-event.js';
import type { Presence } from '../../worker/index.js';
import type { FleetNames } from '../fleet-names.js';
import { connectionStatus } from '../nats-connection.js';
import { explained, reach, type OpenFleetConfig } from '../open-fleet.js';
import { drainOrder, presenceIn, presenceOf } from '../presence-subject.js';

/** A worker that is alive, as NATS has it. */
export interface LiveWorker {
  readonly presence: Presence;
  readonly heartbeat: Heartbeat;
  /** When NATS stored the heartbeat, in ms. */
  readonly at: number;
}

/** The workers that are alive, and for how long each of their heartbeats counts, in ms. */
export async function liveWorkers(
  jsm: JetStreamManager,
  { alive, present }: Pick<FleetNames, 'alive' | 'present'>,
): Promise<{ readonly lease: number; readonly workers: readonly LiveWorker[] }> {
  const { config, state } = await jsm.streams.info(alive, { subjects_filter: `${presenceOf(present)}>` });
  const found = new Map<string, LiveWorker>();
  for (const subject of Object.keys(state.subjects ?? {})) {
    const message = await jsm.streams.getMessage(alive, { last_by_subj: subject });
    const [presence] = presenceIn(present, subject);
    // A heartbeat may expire meanwhile.
    const heartbeat = message && tryOr(() => message.json<Heartbeat>(), undefined);
    if (!presence || !heartbeat || !nonEmptyString.is(fieldsOf(heartbeat).instance)) continue;
    const at = message.time.getTime();
    // A worker whose list has just changed may be there twice.
    if ((found.get(presence.worker)?.at ?? 0) <= at) found.set(presence.worker, { presence, heartbeat, at });
  }
  return { lease: config.max_age / 1e6, workers: [...found.values()] };
}

/** How long a worker may take to leave, in ms. */
const LEAVING_MS = 30_000;

/** How often the order is sent, because a worker that reconnects does not hear it, in ms. */
const AGAIN_MS = 500;

/** Tells a worker to leave, and waits until it has left. Errors: `FleetError`. */
export async function orderDrain(
  config: Pick<OpenFleetConfig, 'nats' | 'fleet'> & { readonly worker: string },
): Promise<void> {
  return explained(async () => {
    const { nats, jsm, names } = await reach(config);
    const find = async () => {
      const { workers } = await liveWorkers(jsm, names);
      return workers.map(({ heartbeat }) => heartbeat);
    };
    const alive = await find();
    const meant = alive.find(({ worker }) => worker === config.worker);
    if (!meant) {
      const others = alive.map(({ worker }) => worker).join(', ');
      throw new FleetError(
        `no worker ${config.worker} is alive; ${others ? `these are: ${others}` : 'none is'}`,
      );
    }
    // Only the status of the connection tells that a message was refused.
    const refused$: Observable<never> = connectionStatus(nats).pipe(
      filter(status => status.type === 'error'),
      map(({ error }) => {
        throw error;
      }),
    );
    const until = performance.now() + LEAVING_MS;
    while (performance.now() < until) {
      nats.publish(names.changed, drainOrder(meant.instance));
      await firstValueFrom(merge(timer(AGAIN_MS), refused$));
      if (!(await find()).some(({ instance }) => instance === meant.instance)) return;
    }
    throw new FleetError(
      `the worker ${config.worker} has not left within ${LEAVING_MS / 1_000} s; its version of lobby-rx may be older than this order`,
    );
  });
}
