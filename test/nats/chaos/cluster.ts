import { freePort } from '../../free-port.js';
import { startNatsServer, type NatsServer } from '../nats-server.js';
import { Relay } from './relay.js';

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
  const routes = await Promise.all(
    ports.flatMap((_, from) =>
      ports.flatMap((port, to) => (from === to ? [] : [startRoute(from, to, port)])),
    ),
  );
  const servers = await Promise.all(
    ports.map((port, i) => {
      const urls = routes
        .filter(({ from }) => from === i)
        .map(({ relay }) => `"nats://127.0.0.1:${relay.port}"`);
      // The addresses that servers tell each other lead nowhere, so that no route avoids the
      // relays.
      const listen = `listen: "127.0.0.1:${port}", advertise: "127.0.0.1:9"`;
      const cluster = `cluster { name: c, ${listen}, routes: [${urls.join()}] }`;
      return startNatsServer({ program, config: `server_name: s${i}\n${cluster}\n${ACCOUNTS}\n${more}` });
    }),
  );
  return {
    servers,
    cut: server => {
      for (const { from, to, relay } of routes) {
        if (from === server || to === server) relay.cut();
      }
    },
    mend: () => {
      for (const { relay } of routes) relay.release();
    },
    close: () => {
      for (const { relay } of routes) relay.close();
    },
  };
}

/** What one server of a cluster sends to another one. */
async function startRoute(from: number, to: number, port: number) {
  return { from, to, relay: await Relay.start(port) };
}
