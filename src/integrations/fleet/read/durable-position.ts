import { randomUUID } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import { firstValueFrom, lastValueFrom, ReplaySubject, takeUntil, timer } from 'rxjs';
import { InputError, plainObject } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import { fenced, openPositions, type OpenFleet } from '../nats/index.js';
import { NOTHING, type FleetPosition } from './handled-records.js';

const KEY_PREFIX = 'consumer.';

/** The least time between two saves of a position, in ms. */
const SPACING_MS = 20;

/**
 * How often to try to store a position. Attempts fail if another process has written, or a server
 * lags behind.
 */
const ATTEMPTS = 40;
/** How long to wait between two attempts, in ms. */
const PAUSE_MS = 50;

/** The options of {@link DurablePosition.open}. */
export interface DurablePositionConfig {
  readonly durable: string;
  readonly subjects: string;
  /** The position to begin at, instead of the stored one. */
  readonly from: FleetPosition | undefined;
}

/** Another process has begun to read with the same name. */
class TakenOver extends FleetError {}

/** Everything up to the position has been handled. */
interface StoredPosition extends FleetPosition {
  /** Different for each process that reads with this name. */
  readonly reader: string;
  readonly subjects: string;
}

/**
 * The position of a named consumer, stored in NATS. The last process that opens it may read and
 * save. The others no longer can.
 */
export class DurablePosition {
  readonly #kv: KV;
  readonly #name: string;
  readonly #key: string;
  readonly #reader = randomUUID();
  readonly #fail: (error: TakenOver) => void;
  readonly #listening: { unsubscribe(): void };
  #revision = 0;
  #saved: StoredPosition | undefined;
  #next: StoredPosition;
  #isSaving = false;
  #isOpen = false;
  /** Whether another process may have written while this one was opening it. */
  #isInDoubt = false;
  readonly #closed$ = new ReplaySubject<void>(1);

  private constructor(
    { nats, names }: OpenFleet,
    kv: KV,
    { durable, subjects }: DurablePositionConfig,
    fail: (error: TakenOver) => void,
  ) {
    this.#kv = kv;
    this.#name = durable;
    this.#key = KEY_PREFIX + durable;
    this.#fail = fail;
    this.#next = { reader: this.#reader, subjects, ...NOTHING };
    this.#listening = nats.subscribe(`$KV.${names.positions}.${this.#key}`, {
      callback: (_, message) => {
        if (positionIn(message)?.reader === this.#reader) return;
        this.#isInDoubt = true;
        if (this.#isOpen) this.check();
      },
    });
  }

  /**
   * Opens the position of a name. It becomes `from` if that is given. All other processes with the
   * name lose it, and `fail` is called there.
   */
  static async open(
    fleet: OpenFleet,
    config: DurablePositionConfig,
    fail: (error: TakenOver) => void,
  ): Promise<DurablePosition> {
    const { subjects, from } = config;
    const opened = new DurablePosition(fleet, await openPositions(fleet), config, fail);
    try {
      await opened.#write(known => {
        if (known && known.subjects !== subjects) {
          const rule = `the name of a consumer of ${subjects}, or of none`;
          throw new InputError('durable', rule, `that of a consumer of ${known.subjects}`);
        }
        const { position, storedAt } = from ?? known ?? NOTHING;
        opened.#next = { ...opened.#next, position, storedAt };
        return opened.#next;
      });
      opened.#isOpen = true;
      if (opened.#isInDoubt) opened.check();
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  get position(): FleetPosition {
    return this.#next;
  }

  /** Everything up to this position has been handled. It is saved soon. */
  handled({ position, storedAt }: FleetPosition): void {
    this.#next = { ...this.#next, position, storedAt };
    void this.#flush();
  }

  /** Fails soon if another process has opened the position. */
  check(): void {
    this.#saved = undefined;
    void this.#flush();
  }

  /** Saves what is not saved yet. */
  close(): void {
    this.#listening.unsubscribe();
    this.#closed$.next();
    void this.#flush();
  }

  /**
   * Saves until the newest position is saved. If that fails, the next position is saved instead.
   */
  async #flush(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    let tried: StoredPosition | undefined;
    while (this.#saved !== this.#next && tried !== this.#next) {
      tried = this.#next;
      await this.#save().catch(() => undefined);
      await lastValueFrom(timer(SPACING_MS).pipe(takeUntil(this.#closed$)), { defaultValue: 0 });
    }
    this.#isSaving = false;
  }

  async #save(): Promise<void> {
    try {
      await this.#write(known => {
        if (known && known.reader !== this.#reader)
          throw new TakenOver(`another process reads with durable: '${this.#name}'`);
        return this.#next;
      });
    } catch (error) {
      if (error instanceof TakenOver) this.#fail(error);
      throw error;
    }
  }

  /**
   * Stores the result of `next`, which gets the stored position. If several processes write at
   * once, one is first, and the others try again.
   */
  async #write(next: (known: StoredPosition | undefined) => StoredPosition): Promise<void> {
    let known = this.#saved;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const written = next(known);
      const previousSeq = this.#revision;
      const put = () => this.#kv.put(this.#key, JSON.stringify(written), { previousSeq });
      const revision = await fenced(put);
      if (revision !== undefined) {
        this.#revision = revision;
        this.#saved = written;
        return;
      }
      if (attempt > 0) await firstValueFrom(timer(PAUSE_MS));
      const entry = await this.#kv.get(this.#key);
      this.#revision = entry?.revision ?? 0;
      known = entry ? positionIn(entry) : undefined;
    }
    throw new FleetError(`the position of durable: '${this.#name}' cannot be stored`);
  }
}

/** The positions of all named consumers of a fleet, by their names. */
export async function durablePositions(
  fleet: OpenFleet,
): Promise<ReadonlyMap<string, FleetPosition & { readonly subjects: string }>> {
  const { jsm, names } = fleet;
  const prefix = `$KV.${names.positions}.${KEY_PREFIX}`;
  const { state } = await jsm.streams.info(`KV_${names.positions}`, { subjects_filter: `${prefix}>` });
  const kv = await openPositions(fleet);
  const positions = new Map<string, StoredPosition>();
  for (const subject of Object.keys(state.subjects ?? {})) {
    const durable = subject.slice(prefix.length);
    const entry = await kv.get(KEY_PREFIX + durable);
    const position = entry ? positionIn(entry) : undefined;
    if (position) positions.set(durable, position);
  }
  return positions;
}

/** Reads the stored position. `undefined` if another program has written something else. */
function positionIn(stored: { json(): unknown }): StoredPosition | undefined {
  try {
    const read = stored.json();
    return plainObject.is(read) && Number.isSafeInteger(read.position) && Number.isFinite(read.storedAt)
      ? (read as object as StoredPosition)
      : undefined;
  } catch {
    return undefined;
  }
}
