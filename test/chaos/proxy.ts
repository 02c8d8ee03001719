// A proxy process in front of the service: routes that forward requests, and that fail in several
// ways. It counts requests.
import { openRoute, type Route } from './route.js';
import type { FromProxy, SeenRequest, ToProxy } from './messages.js';

const seen: SeenRequest[] = [];
let routes: readonly Route[] = [];

process.on('message', (message: ToProxy) => void receive(message));
process.on('disconnect', () => process.exit());

const reply = (message: FromProxy) => process.send?.(message);

async function receive(message: ToProxy): Promise<void> {
  switch (message.kind) {
    case 'start': {
      const { to, count, backlog } = message;
      routes = await Promise.all(Array.from({ length: count }, () => openRoute(to, backlog, note)));
      reply({ kind: 'started', ports: routes.map(({ port }) => port) });
      return;
    }
    case 'set':
      await Promise.all(routes.map((route, i) => route.set(message.modes[i] ?? 'open')));
      reply({ kind: 'done' });
      return;
    case 'report': {
      const sockets = await Promise.all(routes.map(route => route.sockets()));
      reply({ kind: 'report', seen, sockets: sockets.reduce((all, one) => all + one, 0) });
    }
  }
}

function note(head: string): void {
  const [, token = ''] = /^authorization: Bearer (.*)\r$/im.exec(head) ?? [];
  const [, index = ''] = /^[^\r]*[?&]watch_index=([^& ]*)/.exec(head) ?? [];
  seen.push([token, Date.now(), index]);
}
