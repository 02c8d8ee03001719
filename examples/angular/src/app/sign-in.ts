import { DOCUMENT } from '@angular/common';
import { ChangeDetectionStrategy, Component, inject } from '@angular/core';

/** A plain form: it works before the page has loaded its scripts. */
@Component({
  selector: 'board-sign-in',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <main class="sign-in">
      <form class="card" method="post" action="/session">
        <img src="favicon.svg" alt="" width="44" height="44" />
        <h1>Lobby board</h1>
        <p class="muted">Sign in with the token of an identity.</p>
        @if (isIncomplete) {
          <p class="error" role="alert">A token, without spaces, and a group are needed.</p>
        }
        <label>Token <input name="token" type="password" autocomplete="current-password" required /></label>
        <label>Group <input name="group_id" autocomplete="off" required /></label>
        <label>Name in the game <input name="name" autocomplete="nickname" maxlength="20" /></label>
        <button class="primary">Sign in</button>
      </form>
    </main>
  `,
})
export class SignIn {
  readonly isIncomplete = inject(DOCUMENT).location.search === '?incomplete';
}
