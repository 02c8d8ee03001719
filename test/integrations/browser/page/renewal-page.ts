// Runs in a page: follows events with a token that expires, and shows the test what came.
import { createClient } from 'lobby-rx';
import type { Followed } from './follower.js';

const given = new URLSearchParams(location.search);
const followed: Pick<Followed, 'states' | 'events' | 'gaps'> = { states: [], events: [], gaps: [] };
let token = given.get('token') ?? '';

/** Asks the server of the cookie. */
const ask = (path: string) =>
  fetch(`${given.get('signIn') ?? ''}${path}`, { method: 'POST', credentials: 'include' });

async function renew(): Promise<string | null> {
  const answer = await ask('/renew');
  if (answer.status === 401) return null;
  token = await answer.text();
  return token;
}

const isLocked = given.get('isLocked') === 'true';
const client = createClient({
  url: given.get('url') ?? '',
  token: {
    get: () => token,
    renew: () => (isLocked ? navigator.locks.request('renew', renew) : renew()),
  },
});
await ask('/sign-in');
client.events.feed.status$.subscribe(({ state }) => followed.states.push(state));
client.events.feed.unknown$.subscribe({
  next: ({ name }) => followed.events.push(name),
  error: (error: unknown) => followed.gaps.push((error as Error).name),
});
Object.assign(globalThis, { followed });
