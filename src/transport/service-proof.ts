import { tryOr } from '../error/index.js';
import { detailsOf, RAY_ID, saysNothing } from '../protocol/index.js';
import type { TransportRequest, TransportResponse } from './transport.js';

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

  constructor(private readonly isOwn?: IsFromService) {}

  /** Whether the answers of a server can be told from those of others. */
  knows(server = ''): boolean {
    return this.isOwn !== undefined || this.#known.includes(server);
  }

  /**
   * Whether the service itself has answered. `undefined` if that does not matter, because the
   * content of an OK is its own proof, or if nothing tells.
   */
  judge({ server = '', emptyOk }: TransportRequest, answer: TransportResponse): boolean | undefined {
    const { isOwn } = this;
    const { status, headers, text } = answer;
    const isMarked = hasRayId(headers);
    if (isMarked && !this.#known.includes(server)) this.#known.push(server);
    // An asynchronous function returns no boolean, and must not confirm everything.
    if (isOwn ? tryOr<unknown>(() => isOwn(answer), false) === true : isMarked) return true;
    const isKnown = this.knows(server);
    if (status < 200 || status > 299) {
      const { rayId, isFromService } = detailsOf({ headers, text });
      // A proxy may let pages read the header of an OK only. The service's errors have the ray id
      // in their body, too.
      return !isOwn && (isKnown ? rayId !== undefined : isFromService);
    }
    if (emptyOk === undefined) return undefined;
    const isPlain = (status === 200 || status === 204) && saysNothing(text);
    return isKnown || (emptyOk === 'plain' && !isPlain) ? false : undefined;
  }
}

/** A transport of your own may give an OK no headers, since nothing else reads them. */
function hasRayId(headers: TransportResponse['headers']): boolean {
  try {
    return Boolean(headers.get(RAY_ID));
  } catch {
    return false;
  }
}
