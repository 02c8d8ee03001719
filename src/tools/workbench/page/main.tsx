import { render } from 'preact';
import { App } from './app.js';

/** What a secret looks like; the text of another bookmark does not. */
const SECRET = /^[\w-]+$/;
/** Where this tab keeps the secret, so that it can be reloaded. */
const KEY = 'secret';

// Another secret, for the emulator that has been started since.
addEventListener('hashchange', () => location.reload());
const { hash, pathname } = location;
if (SECRET.test(hash.slice(1))) {
  sessionStorage.setItem(KEY, hash.slice(1));
  // It is not to be seen, nor in the history.
  history.replaceState(null, '', pathname);
}
const secret = sessionStorage.getItem(KEY);
const place = document.querySelector('#workbench')!;

const unknown = (
  <main>
    <p>Open the URL that the emulator has printed last.</p>
  </main>
);
render(secret === null ? unknown : <App secret={secret} />, place);
