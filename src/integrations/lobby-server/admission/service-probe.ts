import { catchError, defer, finalize, first, map, of, ReplaySubject, share, type Observable } from 'rxjs';
import { whyNotConnected } from '../../../client/index.js';
import { printable } from '../../../error/index.js';
import { callClient } from '../call-hook.js';
import { Countdown } from '../limits/index.js';
import type { GateSettings } from '../lobby-gate-config.js';
import { errorLine, REFUSALS, refusalFor, type Refusal } from '../report/index.js';
import { unissuedToken } from '../unissued-token.js';

/** How long the service is believed after it has refused a token that nobody has issued, in ms. */
const PROVEN_MS = 60_000;

/** The longest wait after a probe that proved nothing, in ms. The first one is a second. */
const MAX_PROOF_WAIT_MS = 30_000;

/**
 * Proves that what answers is the service, before a real token is sent to it. A token is for one
 * use, and would be lost if the proof came after it. A client that knows its service by ray ids, or
 * does not say whether it does, needs no proof.
 */
export class ServiceProbe {
  readonly #settings: GateSettings;
  readonly #believed: Countdown;
  readonly #wait: Countdown;
  #failures = 0;
  #probe$: Observable<Refusal | undefined> | undefined;

  constructor(settings: GateSettings) {
    this.#settings = settings;
    this.#believed = new Countdown(settings.scheduler);
    this.#wait = new Countdown(settings.scheduler);
  }

  /** Emits why no token may be sent now, or `undefined` if one may, and completes. */
  whyNot(): Observable<Refusal | undefined> {
    return defer(() => {
      const { isServiceKnown } = this.#settings.client.matchmaker.players;
      if (isServiceKnown !== false || this.#believed.left > 0) return of(undefined);
      if (this.#wait.left > 0) return of(this.#later());
      this.#probe$ ??= this.#ask().pipe(
        finalize(() => {
          this.#probe$ = undefined;
        }),
        share({ connector: () => new ReplaySubject(1) }),
      );
      return this.#probe$;
    });
  }

  #ask(): Observable<Refusal | undefined> {
    const { players } = this.#settings.client.matchmaker;
    const input = unissuedToken();
    return callClient('connected', () => players.connected(input)).pipe(
      first(),
      map(() => {
        const who = players.unprovedBy ?? 'it';
        return this.#fail(`${printable(who).trim()} confirms a token that nobody has issued`);
      }),
      catchError((error: unknown) => of(this.#judge(error, input.player_token))),
    );
  }

  #judge(error: unknown, token: string): Refusal | undefined {
    const { outcome } = whyNotConnected(error);
    if (outcome === 'unknown') return this.#fail(errorLine(error, token));
    this.#failures = 0;
    // The other outcomes would be those of a real token, too.
    if (outcome !== 'refused') return refusalFor(error, token);
    this.#believed.extend(PROVEN_MS);
    return undefined;
  }

  #fail(error: string): Refusal {
    this.#wait.extend(Math.min(MAX_PROOF_WAIT_MS, 1_000 * 2 ** Math.min(this.#failures, 10)));
    this.#failures++;
    this.#settings.report.onNotTheService(error);
    return this.#later();
  }

  #later(): Refusal {
    return { ...REFUSALS.unknown, retryAfter: this.#wait.left };
  }
}
