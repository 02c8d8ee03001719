import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../free-port.js';
import { startNatsServer, type NatsServer } from '../nats-server.js';

/** A cluster of NATS servers. */
export interface Cluster {
  readonly servers: readonly NatsServer[];
  /** Cuts the routes between one server and the others, whose clients stay connected. */
  cut(server: number): void;
  mend(): void;
  close(): void;
}

/**
 * The user that may request another leader of the cluster itself. Clients that do not log in are
 * those of the fleet.
 */
export const OPERATOR = { user: 'operator', pass: 'operator' };

const ACCOUNTS = `
accounts {
  FLEET { jetstream: enabled, users: [{ user: fleet, password: fleet }] }
  $SYS { users: [{ user: ${OPERATOR.user}, password: ${OPERATOR.pass} }] }
}
no_auth_user: fleet`;

/** Starts a cluster of three. Each route between servers passes through a relay. */
export async function startCluster(program: string, more: string): Promise<Cluster> {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const isolated = new Set<number>();
  const relays = await Promise.all(
    ports.flatMap((_, from) =>
      ports.flatMap((port, to) => (from === to ? [] : [startRelay(from, to, port, isolated)])),
    ),
  );
  const servers = await Promise.all(
    ports.map((port, i) => {
      const routes = relays.filter(({ from }) => from === i).map(({ url }) => `"${url}"`);
      // The addresses that servers tell each other lead nowhere, so that no route avoids the
      // relays.
      const listen = `listen: "127.0.0.1:${port}", advertise: "127.0.0.1:9"`;
      const cluster = `cluster { name: c, ${listen}, routes: [${routes.join()}] }`;
      return startNatsServer({ program, config: `server_name: s${i}\n${cluster}\n${ACCOUNTS}\n${more}` });
    }),
  );
  return {
    servers,
    cut: server => {
      isolated.add(server);
      for (const relay of relays) relay.check();
    },
    mend: () => {
      isolated.clear();
    },
    close: () => {
      for (const relay of relays) relay.close();
    },
  };
}

/** Passes on what one server sends to another, unless one of them is isolated. */
async function startRelay(from: number, to: number, port: number, isolated: ReadonlySet<number>) {
  const isCut = () => isolated.has(from) || isolated.has(to);
  const sockets = new Set<Socket>();
  const server = createServer(incoming => {
    if (isCut()) return incoming.destroy();
    const outgoing = connectTo(port, '127.0.0.1');
    const both = [incoming, outgoing] as const;
    const end = () => {
      for (const socket of both) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    return incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    from,
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    check: () => {
      if (isCut()) destroy();
    },
    close: () => {
      server.close();
      destroy();
    },
  };
}
