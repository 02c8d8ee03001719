import { concat, defer, EMPTY, Subject, type Observable } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { SocketClosed } from '../player-socket.js';
import { REFUSALS } from '../report/index.js';
import type { PresentedToken } from '../../../player/index.js';
import type { Visitor } from '../upgrade/index.js';
import { Player, type PlayerContext } from './player.js';
import { hashOfPresented, isReturnTicket } from './return-ticket.js';
import type { TokenConfirmation } from './token-confirmation.js';

/** The players of the lobby. Each has one connection, or none while they are away. */
export class AdmittedPlayers {
  /** Emits after a player has left the lobby. */
  readonly left$ = new Subject<void>();
  readonly #settings: GateSettings;
  readonly #tokens: TokenConfirmation;
  readonly #context: PlayerContext;

  /** `tokens` knows who is in. `closed$` emits once no player can come back. */
  constructor(settings: GateSettings, tokens: TokenConfirmation, closed$: Observable<unknown>) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#context = { settings, closed$, byTicket: new Map() };
  }

  /**
   * Admits a player whose token is confirmed. `undefined` if they have left before that. If their
   * connection has dropped, one with a ticket is admitted all the same, and is away at once.
   */
  admit(visitor: Visitor, presented: PresentedToken): Player | undefined {
    const { report, grace } = this.#settings;
    const { token, ownTicket } = presented;
    const connection = visitor.admit(grace > 0 && ownTicket !== undefined);
    if (!connection) {
      report.onLeft(visitor.address);
      this.#tokens.release(token);
      return undefined;
    }
    const player = new Player(presented, visitor, this.#context);
    this.#tokens.admit(token, player);
    player.left$.subscribe(left => {
      report.onLeft(player.address, left);
      this.left$.next();
      this.#tokens.release(token);
    });
    player.attach(connection);
    return player;
  }

  /** Whether this is presented by a player who comes back, or has left. */
  isReturn(presented: PresentedToken): boolean {
    return isReturnTicket(presented.token) || this.#context.byTicket.has(hashOfPresented(presented));
  }

  /** Gives a player who comes back a new connection, or refuses the visitor. Emits nothing. */
  readmit(visitor: Visitor, presented: PresentedToken): Observable<never> {
    const player = this.#context.byTicket.get(hashOfPresented(presented));
    if (!player?.mayComeBack) return visitor.refuse(REFUSALS.expired);
    const returned$ = defer(() => {
      if (!player.mayComeBack) return visitor.refuse(REFUSALS.expired);
      if (player.isJustBack) return visitor.refuse(REFUSALS.busy);
      const connection = visitor.admit();
      if (connection) player.comeBack(visitor, connection);
      return EMPTY;
    });
    return concat(player.ending$, returned$);
  }

  /** Closes every player. Those who are away have left at once. */
  closeAll({ code, reason }: SocketClosed): void {
    for (const player of [...this.#tokens.players()]) player.close(code, reason);
  }

  /** How many players are connected, and how many are away. */
  count(): { readonly open: number; readonly away: number } {
    // The token of one that has left may still be about to be released.
    const count = { open: 0, away: 0, left: 0 };
    for (const { state } of this.#tokens.players()) count[state]++;
    return count;
  }
}
