import { asyncScheduler, map, timeout, type Observable, type SchedulerLike } from 'rxjs';
import { fromFetch } from 'rxjs/fetch';
import { detailsOf } from '../../../protocol/index.js';

/** How long an answer may take that the service can give at once, in ms. */
const ANSWER_TIMEOUT_MS = 15_000;
/** How many characters of an answer are read. An error of the service has fewer. */
const MAX_CHARACTERS = 65_536;

/** An answer to a request without a token. */
export interface PlainAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether the service itself answered, not another server. */
  readonly isFromService: boolean;
  /**
   * How far the clock of this machine is ahead, in ms, to the second. `undefined` if the answer has
   * no date.
   */
  readonly clockAhead: number | undefined;
}

/** Sends a request without a token, and follows no redirect. */
export function plainAnswer(
  url: string,
  method: 'GET' | 'OPTIONS' = 'GET',
  headers: Readonly<Record<string, string>> = {},
  scheduler: SchedulerLike = asyncScheduler,
): Observable<PlainAnswer> {
  const selector = async (response: Response) => ({ response, text: await startOf(response) });
  return fromFetch(url, { method, headers, redirect: 'manual', selector }).pipe(
    timeout(ANSWER_TIMEOUT_MS, scheduler),
    map(({ response: { status, headers }, text }) => {
      const date = Date.parse(headers.get('date') ?? '');
      return {
        url,
        status,
        headers,
        text,
        isFromService: detailsOf({ headers, text }).isFromService === true,
        clockAhead: Number.isNaN(date) ? undefined : Date.now() - date,
      };
    }),
  );
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
