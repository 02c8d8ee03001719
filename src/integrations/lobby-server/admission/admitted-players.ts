import { concat, defer, EMPTY, type Observable } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { PlayerSocket, SocketClosed } from '../player-socket.js';
import { REFUSALS } from '../refusal.js';
import type { Visitor } from '../upgrade/index.js';
import { Player } from './player.js';
import { hashOfTicket } from './return-ticket.js';

/** The players of the lobby. Each has one connection, or none while they are away. */
export class AdmittedPlayers {
  readonly #players = new Set<Player>();
  /** By the hash of the ticket. */
  readonly #byTicket = new Map<string, Player>();

  /**
   * `released` is called with the token of each player who has left. `closed$` emits once no player
   * can come back.
   */
  constructor(
    readonly settings: GateSettings,
    readonly released: (token: string) => void,
    readonly closed$: Observable<unknown>,
  ) {}

  /** Admits a player whose token is confirmed. `undefined` if they have left before that. */
  admit(visitor: Visitor, token: string): PlayerSocket | undefined {
    const { report } = this.settings;
    const connection = visitor.admit();
    if (!connection) {
      report.onLeft(visitor.address);
      this.released(token);
      return undefined;
    }
    const player = new Player(token, {
      settings: this.settings,
      closed$: this.closed$,
      byTicket: this.#byTicket,
    });
    this.#players.add(player);
    player.left$.subscribe(left => {
      this.#players.delete(player);
      report.onLeft(player.address, left);
      this.released(token);
    });
    player.attach(visitor, connection);
    return player;
  }

  /** Gives a player who comes back a new connection, or refuses the visitor. Emits nothing. */
  readmit(visitor: Visitor, ticket: string): Observable<never> {
    const player = this.#byTicket.get(hashOfTicket(ticket));
    if (!player?.mayComeBack) return visitor.refuse(REFUSALS.expired);
    const returned$ = defer(() => {
      if (!player.mayComeBack) return visitor.refuse(REFUSALS.expired);
      if (player.isBack) return visitor.refuse(REFUSALS.busy);
      const connection = visitor.admit();
      if (connection) player.comeBack(visitor, connection);
      return EMPTY;
    });
    return concat(player.ending$, returned$);
  }

  /** Closes every player. Those who are away have left at once. */
  closeAll({ code, reason }: SocketClosed): void {
    for (const player of [...this.#players]) player.close(code, reason);
  }
}
