import { finalize, merge, Observable, Subject, tap, type Subscriber } from 'rxjs';
import { isInputError } from '../../../error/index.js';
import type { LiveEvent, NoOwnEvents } from '../../../protocol/index.js';
import { awaited, backoff, type Awaitable, type Gap } from '../../../stream/index.js';
import type { ConsumerLog } from './consumer-log.js';
import { DurablePosition, type DurablePositionConfig } from './durable-position.js';
import { HandledRecords, type FleetPosition } from './handled-records.js';
import {
  isNewerVersion,
  lastKept,
  messageFrom,
  natsProblem,
  orderedMessages,
  storedMessage,
  storedRecord,
  streamState,
  type OpenFleet,
  type OrderedMessage,
  type StoredAt,
  type StoredRecord,
} from '../nats/index.js';

/**
 * Events of one identity that came in one answer. Save its `position` and `storedAt`, and pass both
 * as `from` later.
 */
export interface FleetBatch<Own extends object = NoOwnEvents> extends FleetPosition {
  readonly identity_id: string;
  /** Oldest first. Empty if there is only a gap. */
  readonly events: readonly LiveEvent<Own>[];
  /** Says that events may be missing before these, and why. */
  readonly gap?: Gap;
  /**
   * The position of the batch. It is higher than the positions of all batches before, even in a
   * stream that was created again. It is lower only with a `gap`, if a server has lost the end of
   * the stream.
   */
  readonly position: number;
  /** When the events were stored, in ms, by the clock of NATS. */
  readonly storedAt: number;
  /**
   * How many messages of this consumer were left when NATS sent this batch. 0 if it was the last
   * one.
   */
  readonly lag: number;
}

/** The longest wait before it reads again, in ms, so that it goes on soon after an outage. */
const MAX_BACKOFF_MS = 4_000;

/** The options of a {@link BatchReader}. */
interface BatchReaderConfig<Own extends object> extends Pick<DurablePositionConfig, 'subjects' | 'from'> {
  readonly fleet: OpenFleet;
  readonly durable: string | undefined;
  readonly ack: ((batch: FleetBatch<Own>) => Awaitable) | undefined;
  readonly log: ConsumerLog;
  readonly decode: (answer: StoredRecord['answer']) => readonly LiveEvent<Own>[];
}

/** Reads the batches of one consumer. It goes on where it was after each failure. */
export class BatchReader<Own extends object> {
  readonly #config: BatchReaderConfig<Own>;
  readonly #handled: HandledRecords;
  readonly #takenOver$ = new Subject<never>();
  #durable: DurablePosition | undefined;

  constructor(config: BatchReaderConfig<Own>) {
    this.#config = config;
    this.#handled = new HandledRecords(config.from);
  }

  /** Subscribe to it only once. */
  batches(): Observable<FleetBatch<Own>> {
    const batches$ = new Observable<FleetBatch<Own>>(subscriber => {
      const end = (error?: unknown) => {
        subscriber.error(natsProblem(error ?? new Error('the delivery has ended')));
      };
      this.#read(subscriber).then(end, end);
    });
    const shouldRetry = (error: unknown) => {
      if (!this.#handled.hasBegun || isInputError(error) || isNewerVersion(error)) return false;
      this.#config.log.retrying(error);
      return true;
    };
    const reading$ = batches$.pipe(backoff({ max: MAX_BACKOFF_MS, shouldRetry }));
    return merge(reading$, this.#takenOver$).pipe(finalize(() => this.#durable?.close()));
  }

  /** Resolves when the delivery has ended. */
  async #read(subscriber: Subscriber<FleetBatch<Own>>): Promise<void> {
    const { fleet, subjects, log } = this.#config;
    // The state is read after the name is taken. Until then, another process with the name may go
    // on past the end of that state.
    await this.#openDurable(subscriber);
    const state = await streamState(fleet);
    const generation = await fleet.generationOf(state);
    if (isClosed(subscriber)) return;
    const kept = (known: StoredAt) => lastKept(known, state, sequence => messageFrom(fleet, sequence));
    const start = await this.#handled.resume(state, generation, kept);
    const { messages, left, stop } = await orderedMessages(fleet, subjects, start);
    subscriber.add(stop);
    subscriber.add(() => log.delivering(undefined));
    log.delivering(left);
    for await (const message of messages) {
      await this.#handle(message, subscriber);
      if (isClosed(subscriber)) return;
    }
  }

  /** Opens the stored position of a named consumer, once. */
  async #openDurable(subscriber: Subscriber<unknown>): Promise<void> {
    const { fleet, durable, subjects, from } = this.#config;
    if (durable === undefined || this.#durable) return;
    const takenOver = (error: unknown) => this.#takenOver$.error(error);
    this.#durable = await DurablePosition.open(fleet, { durable, subjects, from }, takenOver);
    // If the subscriber left while it was being opened, nothing else closes it.
    if (isClosed(subscriber)) this.#durable.close();
    else if (from === undefined) this.#handled.continue(this.#durable.position);
  }

  async #handle(message: OrderedMessage, subscriber: Subscriber<FleetBatch<Own>>): Promise<void> {
    const { log } = this.#config;
    const record = await storedRecord(message, sequence => this.#messageAt(sequence));
    if (isClosed(subscriber)) return;
    log.reading(message);
    const position = this.#handled.positionOf(message);
    const batch = record && this.#batchOf(message, record, position);
    if (batch) {
      subscriber.next(batch);
      await this.#acknowledged(batch, subscriber);
    }
    // Not handled: the next subscriber gets it again.
    if (isClosed(subscriber)) return;
    log.handled();
    this.#handled.add(message);
    this.#durable?.handled({ position, storedAt: message.at });
  }

  /** The batch of a record. `undefined` if it has neither events nor a gap. */
  #batchOf(
    { at: storedAt, lag }: OrderedMessage,
    record: StoredRecord,
    position: number,
  ): FleetBatch<Own> | undefined {
    const { identity_id } = record;
    const gap = this.#handled.gapBefore(record);
    const events = this.#config.decode(record.answer);
    if (events.length === 0 && !gap) return undefined;
    const batch = { identity_id, events, position, storedAt, lag };
    return gap ? { ...batch, gap } : batch;
  }

  /** Resolves when a batch has been acknowledged, or its subscriber has left. */
  #acknowledged(batch: FleetBatch<Own>, subscriber: Subscriber<unknown>): Promise<void> | undefined {
    const { ack, log } = this.#config;
    if (!ack || isClosed(subscriber)) return undefined;
    return new Promise(resolve => {
      const shouldRetry = (error: unknown) => {
        log.retrying(error);
        return true;
      };
      const acking = awaited('ack', () => ack(batch))
        .pipe(
          // It may have failed because another process has taken over.
          tap({ error: () => this.#durable?.check() }),
          backoff({ shouldRetry }),
        )
        .subscribe();
      subscriber.add(acking);
      acking.add(resolve);
    });
  }

  async #messageAt(seq: number) {
    const stored = await storedMessage(this.#config.fleet, { seq });
    return stored ? { headers: stored.header, data: stored.data } : undefined;
  }
}

/** A function, because the compiler assumes that a checked field stays as it was. */
const isClosed = (subscriber: Subscriber<unknown>): boolean => subscriber.closed;
