import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../../..');

/** An application whose code is a block of a page. */
interface Application {
  readonly name: string;
  readonly title: string;
  /** The page that shows the code, and a text that only this block has. */
  readonly page: string;
  readonly block: string;
  /** What the block is put into. */
  readonly program: (code: string) => string;
  readonly root: string;
}

const WORLD = "import { group_id, session, transport, url } from './world.js';";
const URL = "url: 'https://api.example.com'";

const APPLICATIONS: readonly Application[] = [
  {
    name: 'angular',
    title: 'Angular on lobby-rx',
    page: 'angular',
    block: 'bootstrapApplication',
    program: code => `import '@angular/compiler';\n${WORLD}\n${code.replace(URL, 'url, transport')}`,
    root: '<app-root></app-root>',
  },
  {
    name: 'react',
    title: 'React on lobby-rx',
    page: 'state',
    block: 'useSyncExternalStore',
    program: code => `import { createClient } from 'lobby-rx';
import { createRoot } from 'react-dom/client';
${WORLD}
${code}
const client = createClient({ url, transport, token: { get: () => session.token, renew: () => session.renew() } });
createRoot(document.querySelector('main')!).render(<Lobby client={client} group_id={group_id} />);
`,
    root: '',
  },
];

/** The block of code of a page that has a text. */
function blockOf(page: string, text: string): string {
  const markdown = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8');
  const blocks = [...markdown.matchAll(/^```\w+(?: \[[^\]]+\])?\n(.*?)^```/gms)].map(([, code]) => code!);
  return blocks.find(code => code.includes(text))!;
}

/** Writes the applications into a folder. Each is a page with its program. */
export async function buildApplications(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const html = readFileSync(join(import.meta.dirname, 'application.html'), 'utf8');
  for (const { name, title, page, block, program, root } of APPLICATIONS) {
    const fields = { TITLE: title, PAGE: `${page}.html`, ROOT: root, NAME: name };
    const filled = Object.entries(fields).reduce(
      (text, [field, value]) => text.replaceAll(field, value),
      html,
    );
    writeFileSync(join(folder, `${name}.html`), filled);
    await build({
      stdin: { contents: program(blockOf(page, block)), resolveDir: import.meta.dirname, loader: 'tsx' },
      outfile: join(folder, `${name}.js`),
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      logLevel: 'warning',
      jsx: 'automatic',
      jsxImportSource: 'react',
      define: { 'process.env.NODE_ENV': '"production"' },
      tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
      alias: {
        'lobby-rx': join(ROOT, 'src/index.ts'),
        'lobby-rx/angular': join(ROOT, 'src/integrations/angular/index.ts'),
        'lobby-rx/emulator': join(ROOT, 'src/tools/emulator/index.ts'),
        'lobby-rx/views': join(ROOT, 'src/integrations/views/index.ts'),
        '#fetch': join(ROOT, 'src/transport/platform-fetch.ts'),
        '#fp-ts/Either': 'fp-ts/es6/Either.js',
      },
    });
  }
}
