import { parseArgs } from 'node:util';
import { concatMap, finalize, from, reduce, tap } from 'rxjs';
import { clientOf, CONNECTION } from './connection.js';
import { run } from './run.js';

const HELP = `lobby-rx connected: confirms the player token on standard input

  --url URL             base URL of the service; default: LOBBY_MATCHMAKER_URL or LOBBY_URL
  --insecure            allows plain http: to another machine
  --help                prints this help

LOBBY_TOKEN is the token of the lobby. Prints OK if the service accepts the player. Otherwise
prints the reason on standard error and exits with code 1.
`;

/** `lobby-rx connected`: confirms one player token. */
export function connected(args: readonly string[]): Promise<void> {
  return run(() => {
    const { values } = parseArgs({ args: [...args], options: CONNECTION });
    if (values.help) return HELP;
    const { players } = clientOf('matchmaker', values, process.env).matchmaker;
    return from(process.stdin).pipe(
      reduce((text, chunk) => text + String(chunk), ''),
      concatMap(text => players.connected({ player_token: text.trim() })),
      tap(() => process.stdout.write('OK\n')),
      // An open standard input would keep the process running.
      finalize(() => process.stdin.destroy()),
    );
  });
}
