// The service process: the emulator over HTTP, which publishes a trickle of events, and counts
// connections and polls.
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { createEmulator, listen, type EmulatorServer } from 'lobby-rx/emulator';
import type { FromService, ToService } from './messages.js';

const emulator = createEmulator();
const identities: string[] = [];
const published: number[] = [];
let server: EmulatorServer;
let timer: NodeJS.Timeout | undefined;
let trickle = { rate: 0, allEvery: 0 };
let [seconds, connections, polls, aborted] = [0, 0, 0, 0];

subscribe('net.server.socket', () => connections++);
subscribe('http.server.request.start', message => {
  const { response } = message as { readonly response: ServerResponse };
  polls++;
  response.once('close', () => {
    if (!response.writableFinished) aborted++;
  });
});

process.on('disconnect', () => process.exit());
process.on('message', (message: ToService) => void receive(message));

const reply = (message: FromService) => process.send?.(message);

async function receive(message: ToService): Promise<void> {
  switch (message.kind) {
    case 'start': {
      trickle = message;
      const tokens = Array.from({ length: message.watches }, () => {
        const { identity_id, token } = emulator.addIdentity();
        identities.push(identity_id);
        published.push(0);
        return token;
      });
      server = await listen(emulator);
      reply({ kind: 'started', port: server.port, tokens });
      return;
    }
    case 'publish':
      clearInterval(timer);
      if (message.isOn) timer = setInterval(publish, 1_000);
      reply({ kind: 'done' });
      return;
    case 'report':
      reply({ kind: 'report', sockets: await server.sockets(), connections, polls, aborted, published });
  }
}

/** Publishes the events of a second. */
function publish(): void {
  const { rate, allEvery } = trickle;
  seconds++;
  for (let i = 0; i < rate; i++) publishTo(Math.floor(identities.length * Math.random()));
  if (allEvery > 0 && seconds % allEvery === 0) identities.forEach((_, i) => publishTo(i));
}

function publishTo(i: number): void {
  emulator.publish(identities[i]!, { work: published[i]!++ });
}
