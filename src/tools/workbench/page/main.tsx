import { render } from 'preact';
import { App } from './app.js';
import { createEmulatorClient } from './emulator-client.js';

/** Matches a secret, but not the fragment of most other bookmarks. */
const SECRET = /^[\w-]+$/;
/** Where this tab keeps the secret, so that it can be reloaded. */
const KEY = 'secret';

// The new URL has the secret of an emulator that was started later.
addEventListener('hashchange', () => location.reload());
const { hash, pathname } = location;
if (SECRET.test(hash.slice(1))) {
  sessionStorage.setItem(KEY, hash.slice(1));
  // The secret must stay neither in the address bar nor in the history.
  history.replaceState(null, '', pathname);
}
const secret = sessionStorage.getItem(KEY);
const place = document.querySelector('#workbench')!;

const unknown = (
  <main>
    <p>Open the URL that the emulator has printed last.</p>
  </main>
);
render(secret === null ? unknown : <App client={createEmulatorClient(secret)} />, place);
