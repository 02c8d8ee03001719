import { parseArgs } from 'node:util';
import { concatMap, finalize, from, reduce, tap } from 'rxjs';
import { clientOf } from './client-of.js';
import { CONNECTION } from './connection.js';
import { run } from './run.js';

const HELP = `lobby-rx connected: confirms a player's token, read from standard input

  --matchmaker-url URL  where the service is; or LOBBY_MATCHMAKER_URL
  --insecure            allows http: to another machine
  --help                prints this

The token of the lobby comes from LOBBY_TOKEN. It prints OK, once the service has said so; a refusal is told on standard
error, and the exit code is 1.
`;

/** `lobby-rx connected`. */
export function connected(args: readonly string[]): Promise<void> {
  return run(() => {
    const { values } = parseArgs({ args: [...args], options: CONNECTION });
    if (values.help) return HELP;
    const { players } = clientOf('matchmaker', values, process.env).matchmaker;
    return from(process.stdin).pipe(
      reduce((text, chunk) => text + String(chunk), ''),
      concatMap(text => players.connected({ player_token: text.trim() })),
      tap(() => process.stdout.write('OK\n')),
      finalize(() => process.stdin.destroy()),
    );
  });
}
