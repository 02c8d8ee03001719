import { answeredAtOnce, aPlainValue, tryOr } from '../error/index.js';
import { detailsOf, RAY_ID, saysNothing } from '../protocol/index.js';
import type { TransportRequest, TransportResponse } from './transport.js';

/** How far the `Age` of an answer, in whole seconds, may be from the truth, in ms. */
const AGE_TOLERANCE_MS = 1_000;

/** Whether an answer is the service's own. */
export type IsFromService = (answer: Pick<TransportResponse, 'status' | 'headers' | 'text'>) => boolean;

/**
 * Knows what proves that the service itself has answered. No other place decides that. The service
 * sets a ray id in the header of each of its answers, so a server that has shown one does not
 * answer without it. A function of the config may decide instead.
 */
export class ServiceProof {
  /**
   * The servers that have shown a ray id. It is a list, because an empty set takes ten times as
   * much memory.
   */
  readonly #known: string[] = [];
  /** What gave the last OK that nothing proves, for a log. */
  unprovedBy: string | undefined;

  constructor(private readonly isOwn?: IsFromService) {}

  /** Whether the answers of a server can be told from those of others. */
  knows(server = ''): boolean {
    return this.isOwn !== undefined || this.#known.includes(server);
  }

  /**
   * Whether the service itself has answered. `undefined` if nothing tells. An OK with content is
   * its own proof, whatever this says of it. `took` is how long the answer took, in ms.
   */
  judge(
    { server = '', emptyOk, url }: TransportRequest,
    answer: TransportResponse,
    took: number,
  ): boolean | undefined {
    const { isOwn } = this;
    const { status, headers, text } = answer;
    const isMarked = headerIn(answer, RAY_ID) !== '';
    // A cache keeps the ray id.
    const isStored = isOlderThan(took, answer);
    if (isMarked && !this.#known.includes(server)) this.#known.push(server);
    if (isOwn ? askedAtOnce(isOwn, answer) : isMarked && !isStored) return true;
    const isKnown = this.knows(server);
    if (status < 200 || status > 299) {
      const { rayId, isFromService } = detailsOf({ headers, text });
      // A proxy may let pages read the header of an OK only. The service's errors have the ray id
      // in their body, too.
      return !isOwn && !isStored && (isKnown ? rayId !== undefined : isFromService);
    }
    const isPlain = () => (status === 200 || status === 204) && saysNothing(text);
    if (isKnown || (emptyOk === 'plain' && !isPlain())) return false;
    if (emptyOk) this.unprovedBy = `${url} ${headerIn(answer, 'server')} ${headerIn(answer, 'via')}`;
    return undefined;
  }
}

/**
 * Whether an answer is older than its request, which took this time, in ms. Only a cache gives such
 * answers. Some proxies send an age with what they pass on, too, but then it is no greater.
 */
export function isOlderThan(took: number, answer: TransportResponse): boolean {
  return Number(headerIn(answer, 'age')) * 1_000 > took + AGE_TOLERANCE_MS;
}

/** A function that throws says no. A promise says nothing, and is refused. */
function askedAtOnce(isOwn: IsFromService, answer: TransportResponse): boolean {
  const said = tryOr<unknown>(() => isOwn(answer), false);
  return answeredAtOnce('isFromService', said, aPlainValue) === true;
}

/** A transport of your own may give an OK no headers, since nothing else reads them. */
function headerIn({ headers }: TransportResponse, name: string): string {
  try {
    return headers.get(name) ?? '';
  } catch {
    return '';
  }
}
