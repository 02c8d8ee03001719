import { randomUUID } from 'node:crypto';
import type { KV } from '@nats-io/kv';
import { firstValueFrom, lastValueFrom, ReplaySubject, takeUntil, timer } from 'rxjs';
import { InputError, plainObject } from '../../../error/index.js';
import { FleetError } from '../fleet-error.js';
import { fenced, openPositions, type OpenFleet } from '../nats/index.js';

const KEY_PREFIX = 'consumer.';

/** The least time between two saves of a position, in ms. */
const SPACING_MS = 20;

/**
 * How often, and how long after each other in ms, to try again when another process has written, or
 * a server lags behind.
 */
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** How to open a position. */
export interface DurablePositionConfig {
  readonly durable: string;
  readonly subjects: string;
  /** The position, if it is not the stored one. */
  readonly from: number | undefined;
}

/** Another process reads with the same name. */
class TakenOver extends FleetError {}

interface Place {
  /** Everything up to it has been handled. */
  readonly position: number;
  /** Different for each process that reads with this name. */
  readonly reader: string;
  readonly subjects: string;
}

/**
 * The position of a named consumer. The last process that opens it reads. Another process cannot
 * save after that.
 */
export class DurablePosition {
  readonly #kv: KV;
  readonly #name: string;
  readonly #key: string;
  readonly #reader = randomUUID();
  readonly #fail: (error: TakenOver) => void;
  readonly #listening: { unsubscribe(): void };
  #revision = 0;
  #saved: Place | undefined;
  #next: Place;
  #isSaving = false;
  #isOpen = false;
  /** Another process may have written while it was being opened. */
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
    this.#next = { reader: this.#reader, subjects, position: 0 };
    this.#listening = nats.subscribe(`$KV.${names.positions}.${this.#key}`, {
      callback: (_, message) => {
        if (placeIn(message)?.reader === this.#reader) return;
        this.#isInDoubt = true;
        if (this.#isOpen) this.check();
      },
    });
  }

  /**
   * Opens the position of a name, which is `from` if that is given. From now on, other processes
   * have lost it: `fail` is called there.
   */
  static async open(
    fleet: OpenFleet,
    config: DurablePositionConfig,
    fail: (error: TakenOver) => void,
  ): Promise<DurablePosition> {
    const { subjects, from } = config;
    const place = new DurablePosition(fleet, await openPositions(fleet), config, fail);
    try {
      await place.#write(known => {
        if (known && known.subjects !== subjects) {
          const rule = `the name of a consumer of ${subjects}, or of none`;
          throw new InputError('durable', rule, `that of a consumer of ${known.subjects}`);
        }
        place.#next = { ...place.#next, position: from ?? known?.position ?? 0 };
        return place.#next;
      });
      place.#isOpen = true;
      if (place.#isInDoubt) place.check();
      return place;
    } catch (error) {
      place.close();
      throw error;
    }
  }

  get position(): number {
    return this.#next.position;
  }

  /** Everything up to this position has been handled. It is saved soon. */
  handled(position: number): void {
    this.#next = { ...this.#next, position };
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

  /** Saves until everything is saved. What cannot be is saved with the next position. */
  async #flush(): Promise<void> {
    if (this.#isSaving) return;
    this.#isSaving = true;
    let tried: Place | undefined;
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
   * Stores what `next` makes of what is stored. Of several processes that do so at once, one is
   * first, and the others try again.
   */
  async #write(next: (known: Place | undefined) => Place): Promise<void> {
    let known = this.#saved;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const place = next(known);
      const previousSeq = this.#revision;
      const put = () => this.#kv.put(this.#key, JSON.stringify(place), { previousSeq });
      const revision = await fenced(put);
      if (revision !== undefined) {
        this.#revision = revision;
        this.#saved = place;
        return;
      }
      if (attempt > 0) await firstValueFrom(timer(PAUSE_MS));
      const entry = await this.#kv.get(this.#key);
      this.#revision = entry?.revision ?? 0;
      known = entry ? placeIn(entry) : undefined;
    }
    throw new FleetError(`the position of durable: '${this.#name}' cannot be stored`);
  }
}

/** What is stored; undefined if another program has written something else. */
function placeIn(stored: { json(): unknown }): Place | undefined {
  try {
    const place = stored.json();
    return plainObject.is(place) && Number.isSafeInteger(place.position)
      ? (place as object as Place)
      : undefined;
  } catch {
    return undefined;
  }
}
