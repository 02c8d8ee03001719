import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { createEmulator, listen } from 'lobby-rx/emulator';

/**
 * How the pages follow: with one watch for all tabs, with one while they are alive, with one that
 * also continues from a saved checkpoint, or with a client as it is.
 */
export type Sharing = 'tabs' | 'alive' | 'saved' | 'alone';

const PAGE = '<!doctype html><title>Page</title><script type="module" src="/page.js"></script>';
/** A page that begins once its service worker is in control. */
const PAGE_WITH_WORKER = `<!doctype html><title>Page</title><script type="module">
  const { serviceWorker } = navigator;
  const controlled = new Promise(resolve => serviceWorker.addEventListener('controllerchange', resolve));
  await serviceWorker.register('/sw.js');
  if (!serviceWorker.controller) await controlled;
  await import('/page.js');
</script>`;

/**
 * An emulator over HTTP with one identity, and a site whose pages run a program: by default, one
 * that follows its events. `worker` is the program of the site's service worker.
 */
export async function createSite(program = 'follower.ts', worker?: string) {
  const emulator = createEmulator();
  const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
  let service = await listen(emulator);
  const { url, port } = service;
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, program)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'warning',
    alias: { '#fetch': join(import.meta.dirname, '../../../../src/transport/platform-fetch.ts') },
  });
  const script = bundle.outputFiles[0]!.text;
  const site = createServer((request, response) => {
    const scripts: Readonly<Record<string, string | undefined>> = { '/page.js': script, '/sw.js': worker };
    const asked = scripts[request.url!];
    response.setHeader('content-type', asked === undefined ? 'text/html' : 'text/javascript');
    response.end(asked ?? (worker === undefined ? PAGE : PAGE_WITH_WORKER));
  });
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  return {
    emulator,
    identity_id,
    polls: () => emulator.requests.filter(request => request.pending).length,
    pageUrl: (sharing: Sharing, page = '', kinds = '') =>
      `${origin}/${page}?${new URLSearchParams({ url, token, sharing, kinds }).toString()}`,
    publish: (name: string) => emulator.publish(identity_id, { [name]: 1 }),
    stopService: () => service.close(),
    restartService: async () => {
      service = await listen(emulator, { port });
    },
    close: async () => {
      site.close();
      site.closeAllConnections();
      await service.close();
    },
  };
}
