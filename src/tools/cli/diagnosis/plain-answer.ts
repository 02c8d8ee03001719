import { asyncScheduler, defer, map, timeout, type Observable, type SchedulerLike } from 'rxjs';
import { fromFetch } from 'rxjs/fetch';
import { eventsWatch } from '../../../endpoint/index.js';
import { detailsOf } from '../../../protocol/index.js';
import { ServiceProof, type TransportResponse } from '../../../transport/index.js';

/** How long an answer may take that the service can give at once, in ms. */
const ANSWER_TIMEOUT_MS = 15_000;
/** How many characters of an answer are read. An error of the service has fewer. */
const MAX_CHARACTERS = 65_536;

/**
 * Who has answered. `unproved`: it looks like the service, which has shown no ray id yet, so that
 * something else may have answered.
 */
export type Sender = 'service' | 'unproved' | 'other';

/** An answer to a request without a token. */
export interface PlainAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How long the answer took, in ms. */
  readonly took: number;
  readonly sender: Sender;
  /**
   * How far the clock of this machine is ahead, in ms, to the second. `undefined` if the answer has
   * no date.
   */
  readonly clockAhead: number | undefined;
}

/** How a request without a token is sent, and what is known of who answers. */
export interface PlainConfig {
  readonly method?: 'GET' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly proof?: ServiceProof;
  readonly scheduler?: SchedulerLike | undefined;
}

/** Sends a request without a token, and follows no redirect. */
export function plainAnswer(
  url: string,
  { method = 'GET', headers = {}, proof = new ServiceProof(), scheduler = asyncScheduler }: PlainConfig = {},
): Observable<PlainAnswer> {
  const selector = async (response: Response) => ({ response, text: await startOf(response) });
  return defer(() => {
    const sentAt = performance.now();
    return fromFetch(url, { method, headers, redirect: 'manual', selector }).pipe(
      timeout(ANSWER_TIMEOUT_MS, scheduler),
      map(({ response: { status, headers }, text }) => {
        const date = Date.parse(headers.get('date') ?? '');
        const took = performance.now() - sentAt;
        return {
          url,
          status,
          headers,
          text,
          took,
          sender: senderOf({ status, headers, text }, took, proof),
          clockAhead: Number.isNaN(date) ? undefined : Date.now() - date,
        };
      }),
    );
  });
}

/** Who has answered, as far as is known of the server of the live events. */
function senderOf(answer: TransportResponse, took: number, proof: ServiceProof): Sender {
  const { service: server, method } = eventsWatch;
  const isOwn = proof.judge({ method, url: '', headers: {}, server }, answer, took);
  if (isOwn !== true) return 'other';
  return proof.knows(server) ? 'service' : 'unproved';
}

async function startOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= MAX_CHARACTERS) break;
  }
  return text;
}

/** The code and reason of an error, without the id of the request, which always differs. */
export function refusalIn(text: string): string {
  const { code, reason } = detailsOf({ text, headers: { get: () => null } });
  return code === undefined && reason === undefined ? text : JSON.stringify([code, reason]);
}
