import { DOCUMENT } from '@angular/common';
import { inject, InjectionToken, REQUEST } from '@angular/core';

/** Who is signed in. */
export interface Session {
  /** Different for each sign-in, and the same in all tabs. */
  readonly id: string;
  /** The bearer token of the identity, until it is renewed. */
  token: string;
  readonly group_id: string;
  /** The name in the game. */
  readonly name: string;
}

export const SESSION_COOKIE = 'board-session';

/**
 * The session of this page: undefined if no player is signed in. Signing in and out reloads the
 * page.
 */
export const SESSION = new InjectionToken<Session | undefined>('SESSION', {
  factory: () => {
    const request = inject(REQUEST);
    return sessionIn(request ? (request.headers.get('cookie') ?? '') : inject(DOCUMENT).cookie);
  },
});

/**
 * Renews the token of a session that the service has rejected, unless another tab has done so.
 * Resolves to the one to use, or to null if the player has to sign in again.
 */
export async function renewToken(session: Session): Promise<string | null> {
  const current = sessionIn(document.cookie);
  // Signed out in another tab, or in as another player.
  if (current?.id !== session.id) return null;
  if (current.token !== session.token) {
    session.token = current.token;
    return session.token;
  }
  const answer = await fetch('/session/renew', { method: 'POST' });
  if (answer.status === 401) return null;
  if (!answer.ok) throw new Error(`The token cannot be renewed: ${answer.status}`);
  session.token = await answer.text();
  return session.token;
}

export function sessionIn(cookies: string): Session | undefined {
  const [, value] =
    cookies
      .split('; ')
      .map(cookie => cookie.split('='))
      .find(([name]) => name === SESSION_COOKIE) ?? [];
  try {
    return value === undefined ? undefined : (JSON.parse(decodeURIComponent(value)) as Session);
  } catch {
    return undefined;
  }
}
