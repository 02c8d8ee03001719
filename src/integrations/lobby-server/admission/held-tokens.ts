import { timer, type Subscription } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { Places } from './places.js';

/** How long a player may take to come again, in ms. */
const GRACE = 10_000;

/** Tokens for which the service's answer was lost: their players may come again until the grace has passed. */
export interface HeldTokens {
  readonly has: (token: string) => boolean;
  /**
   * Holds a token whose player was asked to come again in so many ms. The grace begins again; if they were asked to wait for longer
   * than that, it begins after the wait.
   */
  readonly hold: (token: string, address: string, wait: number) => void;
  /** The service is being asked again: the grace does not end meanwhile. */
  readonly pause: (token: string) => void;
  /** What became of the player is known, or has been dealt with. */
  readonly drop: (token: string) => void;
  /** The gate is open. */
  readonly open: () => void;
  /** The gate is closed, so that no player can come again: ends the grace of all, and of those that are held from now on. */
  readonly close: () => void;
}

interface Held {
  readonly free: () => void;
  grace?: Subscription | undefined;
}

/** `expired` is called with each token whose grace has ended. It stays held until it is dropped. */
export function createHeldTokens(
  { scheduler }: Pick<GateSettings, 'scheduler'>,
  places: Places,
  expired: (token: string) => void,
): HeldTokens {
  const all = new Map<string, Held>();
  let isOpen = true;

  const pause = (token: string) => {
    const held = all.get(token);
    held?.grace?.unsubscribe();
    if (held) held.grace = undefined;
  };
  const end = (token: string) => {
    pause(token);
    expired(token);
  };
  return {
    has: token => all.has(token),
    hold: (token, address, wait) => {
      pause(token);
      const held: Held = all.get(token) ?? { free: places.take(address) };
      all.set(token, held);
      if (!isOpen) return end(token);
      const grace = GRACE + (wait > GRACE ? wait : 0);
      held.grace = timer(grace, scheduler).subscribe(() => end(token));
    },
    pause,
    drop: token => {
      pause(token);
      all.get(token)?.free();
      all.delete(token);
    },
    open: () => {
      isOpen = true;
    },
    close: () => {
      isOpen = false;
      for (const [token, { grace }] of all) if (grace) end(token);
    },
  };
}
