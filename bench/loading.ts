import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { weights } from '../test/law/weights.js';
import { compare, interleaved } from './measure.js';
import type { Bound, Report } from './report.js';
import { startService } from './service-process.js';

const ROUNDS = 11;

/**
 * What a program pays for the library before it is at work: the time of the import, the first
 * answers, while its code is not optimized yet, and the bytes in a browser.
 */
export async function benchLoading(report: Report): Promise<void> {
  const rounds = await interleaved(
    {
      rxjs: () => importTime('', 'rxjs'),
      'lobby-rx': () => importTime('rxjs', 'lobby-rx'),
      'the official client': () => importTime('', '@rivet-gg/api'),
    },
    { rounds: ROUNDS },
  );
  report.heading('The time of an import in Node, each in a fresh process');
  report.row('rxjs', rounds.median('rxjs'), 'ms');
  // Beside rxjs, since the time itself depends on the machine. The goal of 40 ms is about half of
  // what rxjs takes on ours.
  report.add({
    name: 'lobby-rx, after rxjs; × is beside rxjs',
    value: rounds.median('lobby-rx'),
    unit: 'ms',
    ratio: rounds.ratio('lobby-rx', 'rxjs'),
    bound: 0.95,
  });
  report.row('the official client', rounds.median('the official client'), 'ms');

  await benchFirstAnswers(report);

  report.heading('In a browser: minified and compressed, without rxjs');
  for (const [name, source, bound] of BUNDLES) report.row(name, await sizeOf(source), 'kB', bound);
}

const ANSWERS = 1_000;

async function benchFirstAnswers(report: Report): Promise<void> {
  const service = await startService();
  const members = JSON.stringify(`${service.url}/v1/groups/g/members`);
  const byClient = (transport: string) => `
    const { lastValueFrom } = await import('rxjs');
    const { createClient } = await import('lobby-rx');
    const { fromHttp } = await import('lobby-rx/node');
    const client = createClient({ url: ${JSON.stringify(service.url)}, token: 't' ${transport} });
    const request = () => lastValueFrom(client.group.getMembers({ group_id: 'g' }));`;
  const byHand = `
    const { Agent, get } = await import('node:http');
    const options = { agent: new Agent({ keepAlive: true }), headers: { authorization: 'Bearer t' } };
    const request = () => new Promise((resolve, reject) => {
      get(${members}, options, response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', part => { text += part; });
        response.on('end', () => resolve(JSON.parse(text)));
      }).on('error', reject);
    });`;
  const rounds = await interleaved(
    {
      'lobby-rx with fromHttp()': () => cpuOfFirst(byClient(', transport: fromHttp()')),
      'lobby-rx': () => cpuOfFirst(byClient('')),
      'node:http with keep-alive, JSON.parse': () => cpuOfFirst(byHand),
    },
    { rounds: ROUNDS },
  );
  report.heading(`The first ${ANSWERS} answers of a process, one after another: CPU of each`);
  compare(report, rounds, 'µs', { 'node:http with keep-alive, JSON.parse': 2.5 });
  service.stop();
}

/** The CPU time of one of the first requests of a process that has loaded its code, in µs. */
async function cpuOfFirst(setUp: string): Promise<number> {
  const source = `${setUp}
    const before = process.cpuUsage();
    for (let n = 0; n < ${ANSWERS}; n++) await request();
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / ${ANSWERS});
    process.exit();`;
  return printedBy(source);
}

const LOOP = `
  import * as z from 'zod';
  const list = z.object({ events: z.array(z.object({ ts: z.string(), kind: z.unknown() })), watch: z.object({ index: z.string() }) });
  export async function follow(url, token, onEvents, signal) {
    for (let index; ; ) {
      const query = index === undefined ? '' : '?watch_index=' + index;
      const response = await fetch(url + query, { headers: { authorization: 'Bearer ' + token }, signal });
      const { events, watch } = list.parse(await response.json());
      onEvents(events);
      index = watch.index;
    }
  }`;

const from = (names: string) => `export { ${names} } from 'lobby-rx'`;

/** What a program uses, and the most that it may cost, in kB. */
const BUNDLES: readonly (readonly [name: string, source: string, bound?: Bound])[] = [
  ['watch', from('watch'), [weights.get('watch')!, 6]],
  ['watchSignals', from('watchSignals')],
  ['watchSignals, eventFeed', from('watchSignals, eventFeed')],
  ['createClient', from('createClient'), [weights.get('createClient')!, 14]],
  [
    'createClient, rosterState, feedState',
    `${from('createClient')}; export { rosterState, feedState } from 'lobby-rx/views'`,
    weights.get('createClient, rosterState, feedState')!,
  ],
  [
    'createClient, lobbyConnection',
    from('createClient, lobbyConnection'),
    weights.get('createClient, lobbyConnection')!,
  ],
  [
    'provideLobbyClient, injectFeed, injectRoster, without Angular',
    "export { provideLobbyClient, injectFeed, injectRoster } from 'lobby-rx/angular'",
    [44.1, 30.5],
  ],
  ['everything', "export * from 'lobby-rx'"],
  [
    'createClient, createEmulator',
    `${from('createClient')}; export { createEmulator } from 'lobby-rx/emulator'`,
  ],
  ['codecs alone: GroupMemberList', "export { GroupMemberList } from 'lobby-rx/codecs'"],
  ['backoff', from('backoff')],
  ['pages', from('pages')],
  ['zod 4 and a loop by hand, two fields of an event', LOOP],
  ['partysocket', "export { WebSocket } from 'partysocket'"],
  ['socket.io-client', "export { io } from 'socket.io-client'"],
  ['the official client', "export { RivetClient } from '@rivet-gg/api'"],
];

/** The time of an import, after that of `first`, in ms. */
async function importTime(first: string, name: string): Promise<number> {
  const before = first === '' ? '' : `await import('${first}');`;
  const source = `${before} const t = performance.now(); await import('${name}'); console.log(performance.now() - t);`;
  return printedBy(source);
}

/** What a program prints in a process of its own. */
async function printedBy(source: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
  });
  return Number(stdout);
}

async function sizeOf(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['rxjs', '@angular/*'],
    // As `ng build` does.
    define: { ngDevMode: 'false' },
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1_000;
}
