import { freePort } from '../free-port.js';
import { Server } from './server.js';

/** Starts an etcd that answers at `path` once it is up. Resolves to it, and to its URL. */
export async function startEtcd(path: string, ...options: readonly string[]) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const args = (folder: string) => [
    ...options,
    `--data-dir=${folder}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
  ];
  const server = new Server('etcd', args, url + path);
  await server.prepare('lobby-rx-etcd-');
  await server.start();
  return { server, url };
}
