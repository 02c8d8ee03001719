'use client';
import { client } from '../../client';

// A subscription of one's own, in a module that runs on the server, too.
client.events.feed.all$.subscribe({ error: () => undefined });

export function Own() {
  return <p>own</p>;
}
