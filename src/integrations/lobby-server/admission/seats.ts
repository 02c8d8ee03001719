import { createHash, randomBytes } from 'node:crypto';
import { concat, defer, EMPTY, type Observable } from 'rxjs';
import type { GateSettings } from '../lobby-gate-config.js';
import type { LobbySocket, SocketClosed } from '../lobby-socket.js';
import { REFUSALS } from '../refusal.js';
import type { Visitor } from '../upgrade/index.js';
import { Player, type SeatsOfPlayer } from './player.js';

/** What begins so is a return ticket, and is never sent to the service. */
const TICKET_PREFIX = 'return.';

export const isReturnTicket = (token: string): boolean => token.startsWith(TICKET_PREFIX);

/** The seats of the players who are in, each of which has one connection, or none while its player is away. */
export interface Seats {
  /** Seats a player whose token is confirmed; undefined if they have left meanwhile. */
  readonly take: (visitor: Visitor, token: string) => LobbySocket | undefined;
  /** Gives a player who comes back their seat on a new connection, or refuses the visitor. Emits nothing. */
  readonly takeAgain: (visitor: Visitor, ticket: string) => Observable<never>;
  /** Closes every player. Those who are away are gone at once. */
  readonly clear: (closed: SocketClosed) => void;
}

/** `released` is called with the token of each player who is gone. `closed$` emits once no player can come back. */
export function createSeats(
  settings: GateSettings,
  released: (token: string) => void,
  closed$: Observable<unknown>,
): Seats {
  const { log, scheduler, grace } = settings;
  const taken = new Set<Player>();
  // By the hash of the ticket: how long a look-up takes says nothing about the ticket itself.
  const byTicket = new Map<string, Player>();

  const seats: SeatsOfPlayer = {
    settings,
    closed$,
    issueTicket: player => {
      const ticket = TICKET_PREFIX + randomBytes(16).toString('base64url');
      if (grace > 0 && taken.has(player)) byTicket.set(hashOf(ticket), player);
      return ticket;
    },
    left: (player, ticket, closed, wasAway) => {
      taken.delete(player);
      if (ticket !== undefined) byTicket.delete(hashOf(ticket));
      const { address } = player;
      log({ kind: 'gone', at: scheduler.now(), address, ...closed, ...(wasAway && { wasAway }) });
      released(player.token);
    },
  };
  return {
    take: (visitor, token) => {
      const connection = visitor.admit();
      if (connection) {
        const player = new Player(token, seats);
        taken.add(player);
        player.sit(visitor, connection);
        return player;
      }
      log({ kind: 'gone', at: scheduler.now(), address: visitor.address });
      released(token);
      return undefined;
    },
    takeAgain: (visitor, ticket) => {
      const player = byTicket.get(hashOf(ticket));
      if (!player?.mayComeBack) return visitor.refuse(REFUSALS.expired);
      const returned$ = defer(() => {
        if (!player.mayComeBack) return visitor.refuse(REFUSALS.expired);
        const connection = visitor.admit();
        if (connection) player.comeBack(visitor, connection);
        return EMPTY;
      });
      return concat(player.ending$, returned$);
    },
    clear: ({ code, reason }) => {
      for (const player of [...taken]) player.close(code, reason);
    },
  };
}

const hashOf = (ticket: string) => createHash('sha256').update(ticket).digest('base64');
