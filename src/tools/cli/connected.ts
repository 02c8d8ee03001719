import { catchError, concatMap, finalize, tap, type Observable } from 'rxjs';
import { whyNotConnected, type MatchmakerApi, type NotConnected } from '../../client/index.js';
import { clientOf, CONNECTION_FLAGS } from './connection-flags.js';
import { parseFlags } from './parse-flags.js';
import { EXIT, ExitError } from './exit-code.js';
import { run } from './run.js';
import { readSecret, warn } from './terminal/index.js';

const HELP = `lobby-rx connected: confirms the player token on standard input

  --url URL             URL of the service; default: LOBBY_RX_MATCHMAKER_URL, or
                        LOBBY_RX_URL
  --matchmaker-url URL  URL of the matchmaker alone; used instead of --url
  --insecure            allows plain http: to another machine
  --help                prints this help

LOBBY_RX_TOKEN is the token of the lobby. The player token is the first line of
standard input; on a terminal it is asked for, and not shown. Prints OK if the
service accepts the player. Otherwise prints the reason on standard error, and
the exit code tells:

  1  the service refused the token
  2  wrong arguments, or no token: nothing was sent
  3  the service was not reached, limits the rate, or refused LOBBY_RX_TOKEN:
     the same player token can be confirmed later
  4  unknown: the answer was lost, or did not come from the service, which may
     count the player as connected. Do not confirm the token again.
`;

const UNKNOWN = 'the outcome is unknown, and the service may count the player as connected';

/** `lobby-rx connected`: confirms one player token. */
export function connected(args: readonly string[]): Promise<void> {
  return run(() => {
    const flags = { ...CONNECTION_FLAGS, 'matchmaker-url': { type: 'string' } } as const;
    const { values } = parseFlags('connected', args, { flags });
    if (values.help) return HELP;
    const { players } = clientOf('matchmaker', values).matchmaker;
    return readSecret('Player token: ').pipe(
      concatMap(player_token => {
        if (player_token === '') throw new Error('the player token is missing: pass it on standard input');
        if (/[\s\p{Cc}]/u.test(player_token))
          throw new Error('the player token must be one word; got a text with spaces or control characters');
        return confirm(players, player_token);
      }),
      tap(printOk),
      // An open standard input would keep the process running.
      finalize(() => process.stdin.destroy()),
    );
  });
}

/**
 * Prints OK. The exit code is 0 even if that fails, because the player is connected. After another
 * exit code, a caller might free the slot of a connected player.
 */
function printOk(): void {
  process.stdout.write('OK\n', error => {
    if (!error) return;
    warn(`the player is connected, but OK cannot be printed: ${(error as NodeJS.ErrnoException).code}`);
    // Exits before the error reaches `main.ts`.
    process.exit(EXIT.ok);
  });
}

/** Confirms a token. Warns if the outcome is unknown. */
function confirm(players: MatchmakerApi['players'], player_token: string): Observable<void> {
  return players.connected({ player_token }).pipe(
    tap({ unsubscribe: () => warn(UNKNOWN) }),
    catchError((error: unknown) => {
      const why = whyNotConnected(error);
      const { message } = error as Error;
      if (why.outcome === 'unknown') throw new ExitError(`${UNKNOWN}: ${message}`, EXIT.unknown);
      if (why.outcome === 'later') throw later(why, message);
      throw error;
    }),
  );
}

/** The error for an answer that says nothing about the player token. */
function later({ reason, retryAfter }: NotConnected & { outcome: 'later' }, message: string): Error {
  const when = retryAfter === undefined ? 'later' : `in ${Math.ceil(retryAfter / 1_000)} s`;
  const text =
    reason === 'rate_limited'
      ? `the service limits the rate, try again ${when}`
      : 'LOBBY_RX_TOKEN was refused, not the player token; set it to the token of the lobby';
  return new ExitError(`${text}: ${message}`, EXIT.unreachable);
}
