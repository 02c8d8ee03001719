import { buildSync } from 'esbuild';
import { listen } from 'lobby-rx/emulator';
import { Miniflare } from 'miniflare';
import { service } from './service.js';

const { outputFiles } = buildSync({
  ...{ entryPoints: ['worker.js'], bundle: true, write: false, format: 'esm' },
  conditions: ['workerd', 'worker', 'browser'],
});
const worker = new Miniflare({
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: process.argv[2],
});
const { emulator, group_id, token } = service();
const server = await listen(emulator);
const body = JSON.stringify({ config: { url: server.url, token }, group_id });
const answer = await worker.dispatchFetch('http://localhost/', { method: 'POST', body });
console.log(`in a worker: ${await answer.text()}`);
await worker.dispose();
await server.close();
