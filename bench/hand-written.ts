import crossFetch from 'cross-fetch';
import { Agent, get } from 'node:http';

/**
 * The connections of what is written by hand. lobby-rx has its own, which are kept alive as well.
 */
const agent = new Agent({ keepAlive: true });

/**
 * One request as one writes it on cross-fetch: the same fetch, on connections that are kept alive.
 */
export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const headers = { authorization: 'Bearer t' };
  const response = await crossFetch(url, { headers, agent, ...(signal && { signal }) } as RequestInit);
  return JSON.parse(await response.text()) as T;
}

interface Batch {
  readonly events: readonly unknown[];
  readonly watch: { readonly index: string };
}

/** The loop of the README's first page: it follows the events, and has no answer to any failure. */
export async function followByHand(
  url: string,
  onEvents: (events: readonly unknown[]) => void,
  signal?: AbortSignal,
): Promise<void> {
  let index: string | undefined;
  while (!signal?.aborted) {
    const { events, watch } = await getBatch(url, index, signal);
    if (events.length > 0) onEvents(events);
    index = watch.index;
  }
}

export function getBatch(url: string, index: string | undefined, signal?: AbortSignal): Promise<Batch> {
  const query = index === undefined ? '' : `?watch_index=${index}`;
  return getJson<Batch>(`${url}/identity/events/live${query}`, signal);
}

/** The same loop on `http.get`: the least that a held poll can cost in Node. */
export function followByHttp(url: string, onEvents: (events: readonly unknown[]) => void): void {
  const headers = { authorization: 'Bearer t' };
  const poll = (index: string | undefined) => {
    const query = index === undefined ? '' : `?watch_index=${index}`;
    get(`${url}/identity/events/live${query}`, { headers, agent }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const { events, watch } = JSON.parse(text) as Batch;
        if (events.length > 0) onEvents(events);
        poll(watch.index);
      });
    });
  };
  poll(undefined);
}
