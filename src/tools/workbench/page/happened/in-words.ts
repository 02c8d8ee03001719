import type { SeenRequest } from '../../world-view.js';
import { outcomeOf } from '../outcome/index.js';

const inSeconds = (ms: number) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** With 24 hours, as everywhere in this project. */
export const timeOf = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** What became of a request. */
export function inWords(request: SeenRequest): string {
  const { at, ended_at, status, events, is_poll, fault } = request;
  const { kind } = outcomeOf(request);
  const planned = fault === undefined ? '' : `, by the fault ${fault}`;
  if (kind === 'open') return is_poll ? `waiting${planned}` : `not answered yet${planned}`;
  const after = inSeconds(ended_at! - at);
  if (kind === 'left') return `given up by the client after ${after}${planned}`;
  if (kind === 'lost') return `connection lost after ${after}${planned}`;
  if (kind === 'answered') return `answered after ${after}${planned}`;
  if (kind === 'empty') return `held for ${after}, nothing new${planned}`;
  if (kind !== 'news') return `${status} after ${after}${planned || reasonOf(status!)}`;
  const { length } = events;
  const news = length === 0 ? 'news' : `${length} event${length === 1 ? '' : 's'}`;
  return `held for ${after}, answered with ${news}${planned}`;
}

function reasonOf(status: number): string {
  if (status === 401) return ': the token was refused';
  if (status === 403) return ': not for this token';
  return status === 404 ? ': there is no such thing' : '';
}

/** How long an event was on its way. */
export const deliveredAfter = (ms: number): string => `delivered after ${inSeconds(Math.max(0, ms))}`;
