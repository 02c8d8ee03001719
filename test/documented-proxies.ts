import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  openApache,
  openCaddy,
  openH2o,
  openLighttpd,
  openNghttpx,
  openNginx,
  openSquid,
  openVarnish,
  openWholeHaproxy,
  type RealProxy,
} from './real-proxy.js';
import { openTrafficServer } from './traffic-server.js';

const PAGE = readFileSync(join(import.meta.dirname, '../docs/proxies.md'), 'utf8');

/** How each configuration of the page is run. */
const OPEN: Readonly<Record<string, (configuration: string) => Promise<RealProxy>>> = {
  nginx: configuration => openNginx('127.0.0.1:9', configuration),
  HAProxy: openWholeHaproxy,
  Apache: openApache,
  Caddy: openCaddy,
  Varnish: openVarnish,
  h2o: openH2o,
  lighttpd: openLighttpd,
  'Traffic Server': configuration => {
    const [records = '', remap = ''] = configuration.split('# remap.config\n');
    return openTrafficServer(records, remap);
  },
  nghttpx: openNghttpx,
  squid: openSquid,
};

/** The proxies that the page has a whole configuration of. */
export const DOCUMENTED_PROXIES: readonly string[] = [...PAGE.matchAll(/^```\w+ \[(.+)\]$/gm)].map(
  ([, name]) => name!,
);

/** What is behind a proxy, as the page names it: the ports of the service and of the gate. */
export interface Behind {
  readonly service: number;
  readonly gate: number;
  /** What takes the place of the 75 s. */
  readonly seconds?: number;
}

/** Runs a proxy as the page sets it up. */
export function openDocumentedProxy(
  name: string,
  { service, gate, seconds = 75 }: Behind,
): Promise<RealProxy> {
  const [, configuration] = PAGE.split(` [${name}]\n`);
  const [text] = configuration!.split('```\n');
  const filled = text!
    .replace(/\b8000\b/g, String(service))
    .replace(/\b8080\b/g, String(gate))
    .replace(/\b75(?=s?\b)/g, String(seconds))
    .replace(/\b75000\b/g, `${seconds}000`);
  return OPEN[name]!(filled);
}

/** With which status a proxy cuts a poll, as the table says; undefined if it was not seen to. */
export function documentedCut(name: string): number | undefined {
  const row = PAGE.split('\n').find(line => line.startsWith(`| ${name} `))!;
  const [, , cut] = row.split('|');
  const status = /\b50\d\b/.exec(cut!)?.[0];
  return status === undefined ? undefined : Number(status);
}
