import { deepStrictEqual, ok } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** What the reader of a snippet is taken to have: the things of his own game. A snippet's own names go before these. */
const PREAMBLE = `
declare const client: import('lobby-rx').Client;
declare const group_id: string, player_token: string;
declare const savedCheckpoint: import('lobby-rx').Checkpoint | undefined;
declare const session: { token: string; renew(): Promise<string> };
declare const socket: { close(code?: number): void };
declare const disconnected: import('lobby-rx').Endpoint;
declare const server: import('node:http').Server;
declare function admit(): void;
declare function show(value: unknown): void;
declare function reload(): void;
declare function save(checkpoint: import('lobby-rx').Checkpoint): Promise<void>;
declare function connect(url: string, token: string): void;
`;

const snippets = [...README.matchAll(/^```ts\n(.*?)^```$/gms)].map(match => match[1]!);

describe('README, given to the compiler', () => {
  it('has snippets that compile, every one', () => {
    ok(snippets.length >= 5);
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), path => ts.sys.readFile(path)) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    const folder = join(ROOT, 'test/law');
    const files = new Map([
      [join(folder, 'preamble.d.ts'), PREAMBLE],
      ...snippets.map((code, i): [string, string] => [
        join(folder, `snippet-${i + 1}.ts`),
        `${code}\nexport {};`,
      ]),
    ]);
    const host = ts.createCompilerHost(options);
    const disk = { ...host };
    host.fileExists = name => files.has(name) || disk.fileExists(name);
    host.getSourceFile = (name, ...rest) => {
      const text = files.get(name);
      return text === undefined
        ? disk.getSourceFile(name, ...rest)
        : ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
    };
    const program = ts.createProgram([...files.keys()], options, host);
    const faults = [...files.keys()].flatMap(name =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(name)).map(({ messageText, start = 0 }) => {
        const line = files.get(name)!.slice(0, start).split('\n').length;
        return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      }),
    );
    deepStrictEqual(faults, []);
  });
});
