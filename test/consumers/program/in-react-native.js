import { ok, strictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { listen } from 'lobby-rx/emulator';
import { service } from './service.js';

const { emulator, group_id, token, join } = service();
const server = await listen(emulator);

/** Its answers have no stream. It follows redirects, whatever it is told. */
const nativeFetch = async (url, { method, headers, body, signal } = {}) => {
  const aborter = new AbortController();
  signal?.addEventListener('abort', () => aborter.abort());
  const here = url.replace('https://api.example.com', server.url);
  const response = await fetch(here, { method, headers, body, signal: aborter.signal });
  const text = await response.text();
  return {
    ...{ status: response.status, ok: response.ok, url, headers: response.headers },
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(JSON.parse(text)),
  };
};

/** Its signals are those of an old polyfill: they have no reason, and cannot be combined. */
class NativeAbortController {
  #listeners = new Set();
  signal = {
    aborted: false,
    addEventListener: (type, listener) => this.#listeners.add(listener),
    removeEventListener: (type, listener) => this.#listeners.delete(listener),
  };
  abort() {
    this.signal.aborted = true;
    for (const listener of this.#listeners) listener({ type: 'abort' });
  }
}

// What the JavaScript of an app for React Native has, and nothing else.
const app = { fetch: nativeFetch, AbortController: NativeAbortController, URL, console };
Object.assign(app, { setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance });
Object.assign(app, { navigator: { product: 'ReactNative' }, signIn: () => Promise.resolve(token) });
app.window = app.global = createContext(app);
runInContext(readFileSync(process.argv[2], 'utf8'), app);

const until = async isTrue => {
  for (let waits = 0; !isTrue(); waits++) {
    ok(waits < 1_000, String(isTrue));
    await new Promise(resolve => setTimeout(resolve, 5));
  }
};
const polls = () => emulator.requests.filter(({ pending }) => pending).length;

const members = await app.ask({ url: server.url, token }, group_id);
const lobbies = [];
const following = app.lobbyJoin$.subscribe(({ lobby }) => lobbies.push(lobby.lobby_id));
await until(() => polls() === 1);
const sent = [join()];
await until(() => lobbies.length === 1);

app.AppState.to('background');
await until(() => polls() === 0);
sent.push(join());
app.AppState.to('active');
await until(() => lobbies.length === 2);
strictEqual(String(lobbies), String(sent));
following.unsubscribe();
await until(() => polls() === 0);

console.log(`in an app: ${members}, and ${lobbies.length} lobbies`);
await server.close();
