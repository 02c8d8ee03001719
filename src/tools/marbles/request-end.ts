import type { LogEntry } from '../../client/index.js';

export type RequestEnd = Exclude<Extract<LogEntry, { requestId: number }>, { kind: 'request' }>;

export function toneOf(entry: RequestEnd): string {
  if (entry.kind !== 'answer') return entry.kind === 'abort' ? 'paused' : 'failed';
  return entry.status < 300 ? 'no_news' : 'failed';
}

/** How a request ended. */
export function endInWords(entry: RequestEnd): string {
  const after = `after ${inSeconds(entry.ms)}`;
  if (entry.kind === 'answer') return `${entry.status} ${after}`;
  return entry.kind === 'abort' ? `aborted ${after}` : `failed ${after}${messageOf(entry.error)}`;
}

/** The message of an error of this library. Other errors are not shown: they may have secrets. */
export function messageOf(error: unknown): string {
  const { _tag, message } = Object(error) as { readonly _tag?: unknown; readonly message?: unknown };
  return typeof _tag === 'string' && typeof message === 'string' ? `: ${message}` : '';
}

export const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
