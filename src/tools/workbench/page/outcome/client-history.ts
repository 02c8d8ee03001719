import { DecodeError, StatusError, TransportError } from '../../../../error/index.js';
import {
  firstState,
  transition,
  watchSettings,
  type WatchEvent,
  type WatchStatus,
} from '../../../../stream/index.js';
import type { SeenRequest } from '../../world-view.js';
import { indexOf, outcomeOf } from './outcome-of.js';

/** What a client shows: a state of its watch, or `gone` if it sends nothing any more. */
export type ShownState = WatchStatus['state'] | 'gone';

/** A state that a client shows from a time on, in ms since 1970. */
export interface Span {
  readonly state: ShownState;
  readonly from: number;
}

/** How long an `ack`, a sign-in or a busy device may delay the next poll, in ms. */
const SLACK_MS = 5_000;
/** A wake gives a poll up, and sends the next one within this time, in ms. */
const WAKE_MS = 2_000;

/** The settings of a client of lobby-rx. Of a random wait, it takes the longest. */
const SETTINGS = watchSettings<SeenRequest>({
  retention: 300_000,
  read: ({ id, has_news, next_index }) => ({ index: next_index, isEmpty: !has_news, key: id }),
  testing: { random: () => 0.999 },
});

/**
 * What a client of lobby-rx shows, by what the service sees of it. The polls are replayed by the
 * laws of the watch, `transition`. The last spans may begin in the future: what the client will
 * show if nothing else happens until then.
 */
export function clientHistory(requests: readonly SeenRequest[]): readonly Span[] {
  // The later pages of a roster are not watched.
  const watched = requests.filter(({ path }) => !path.includes('anchor='));
  const replay = new Replay();
  for (const [i, request] of watched.entries()) replay.take(request, watched[i + 1]);
  return replay.spans;
}

/** When a client is live, from a time on. `undefined` if it is not live any more. */
export function liveFrom(history: readonly Span[], time: number): number | undefined {
  if (stateAt(history, time) === 'live') return time;
  return history.find(({ state, from }) => state === 'live' && from > time)?.from;
}

/** The state that a client shows at a time. */
export function stateAt(history: readonly Span[], time: number): ShownState {
  const begun = history.filter(({ from }) => from <= time);
  return begun.at(-1)?.state ?? 'connecting';
}

const UNREADABLE = { path: '', expected: 'an answer of the service', got: 'something else' };

class Replay {
  readonly spans: Span[] = [];
  #state = firstState(instantOf(0), undefined, SETTINGS.retention);

  take(request: SeenRequest, next: SeenRequest | undefined): void {
    const { at, ended_at } = request;
    const index = indexOf(request);
    this.#begin(at);
    // The request says from where its client goes on, whatever the client was answered.
    this.#state = { ...this.#state, position: { ...this.#state.position, index } };
    this.#apply({ kind: 'sent' }, at);
    const heldAt = at + this.#state.health.heldAfter;
    const isHeld = index !== undefined && heldAt < (ended_at ?? Infinity);
    if (isHeld) this.#apply({ kind: 'held' }, heldAt);
    if (ended_at !== undefined) this.#end(request, ended_at, next);
  }

  /** A client that has ended begins as a new one, and one that has left returns. */
  #begin(at: number): void {
    const shown = this.spans.at(-1)?.state;
    if (shown === 'gone') this.#apply({ kind: 'returned' }, at);
    if (shown !== undefined && shown !== 'closed') return;
    this.#state = firstState(instantOf(at), undefined, SETTINGS.retention);
    this.#show('connecting', at);
  }

  #end(request: SeenRequest, at: number, next: SeenRequest | undefined): void {
    const nextIn = (next?.at ?? Infinity) - at;
    const event = endOf(request, at);
    if (event.kind === 'left') {
      this.#apply(nextIn < WAKE_MS ? { kind: 'woken', wasSent: true } : event, at);
      return;
    }
    // The poll goes on with another token. If none comes, the watch has ended.
    if (request.status === 401 && nextIn < SLACK_MS) return;
    this.#apply(event, at);
    if (this.spans.at(-1)?.state === 'closed') return;
    const goneIn = Math.max(0, this.#state.pace.rest.until - at) + SLACK_MS;
    if (nextIn >= goneIn) this.#show('gone', at + goneIn);
  }

  #apply(event: WatchEvent<SeenRequest>, at: number): void {
    const { state, end } = transition(this.#state, event, { now: instantOf(at), openWatches: 1 }, SETTINGS);
    this.#state = state;
    this.#show(end ? 'closed' : state.health.status.state, at);
  }

  /** A client without subscribers shows nothing any more: it is gone. */
  #show(status: ShownState, from: number): void {
    const state = status === 'idle' ? 'gone' : status;
    if (this.spans.at(-1)?.state !== state) this.spans.push({ state, from });
  }
}

/** The service has one clock. */
function instantOf(at: number) {
  return { at, monotonic: at };
}

/** How a poll ended, as its watch hears of it. */
function endOf(request: SeenRequest, at: number): WatchEvent<SeenRequest> {
  const hasLeft = outcomeOf(request).kind === 'left';
  if (hasLeft && at - request.at >= SETTINGS.timeout) return { kind: 'timeout' };
  if (hasLeft) return { kind: 'left', wasSent: true };
  const error = errorOf(request);
  if (!error) return { kind: 'answer', answer: request };
  return { kind: 'failure', error, heldFor: at - request.at, wasSent: true };
}

/** The error that the client gets. `undefined` if it gets an answer. */
function errorOf({ method, path, status, ray_id, retry_after, is_unreadable }: SeenRequest) {
  const request = { method, url: path };
  if (!status) return new TransportError('lost', 'the connection was lost', request);
  if (status !== 200) return new StatusError(status, request, { rayId: ray_id, retryAfter: retry_after });
  return is_unreadable ? new DecodeError(UNREADABLE, request) : undefined;
}
