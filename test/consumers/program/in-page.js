import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { listen } from 'lobby-rx/emulator';
import { service } from './service.js';

// Runs a bundle with what a page and Node have in common, and nothing else of Node.
const page = { fetch, AbortController, TextDecoder, URL, console, performance, queueMicrotask };
Object.assign(page, { setTimeout, clearTimeout, setInterval, clearInterval });
createContext(page);
runInContext(readFileSync(process.argv[2], 'utf8'), page);

const { emulator, group_id, token } = service();
const server = await listen(emulator);
console.log(`in a page: ${await page.ask({ url: server.url, token }, group_id)}`);
await server.close();
