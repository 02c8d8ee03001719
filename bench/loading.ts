import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { weights } from '../test/law/weights.js';
import { interleaved } from './measure.js';
import type { Bound, Report } from './report.js';

const ROUNDS = 11;

/**
 * What a program pays for the library before it does anything: the time of the import, and the
 * bytes in a browser.
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
    // Cross-fetch is loaded with the module, since Node remembers an import that has failed.
    bound: 1.3,
  });
  report.row('the official client', rounds.median('the official client'), 'ms');

  report.heading('In a browser: minified and compressed, without rxjs');
  for (const [name, source, bound] of BUNDLES) report.row(name, await sizeOf(source), 'kB', bound);
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
  ['createClient, lobbyConnection', from('createClient, lobbyConnection')],
  [
    'provideLobbyClient, injectFeed, injectRoster, without Angular',
    "export { provideLobbyClient, injectFeed, injectRoster } from 'lobby-rx/angular'",
    [43.9, 30.5],
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
  ['the official client', "export { RivetClient } from '@rivet-gg/api'"],
];

/** The time of an import, after that of `first`, in ms. */
async function importTime(first: string, name: string): Promise<number> {
  const before = first === '' ? '' : `await import('${first}');`;
  const source = `${before} const t = performance.now(); await import('${name}'); console.log(performance.now() - t);`;
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
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length / 1_000;
}
