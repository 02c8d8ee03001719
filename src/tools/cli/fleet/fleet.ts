import type { NatsConnection } from '@nats-io/transport-node';
import { catchError, defer, finalize, from, switchMap, throwError, timeout, type Observable } from 'rxjs';
import { EXIT, ExitError } from '../exit-code.js';
import { parseFlags, secondsIn, shown } from '../parse-flags.js';
import { run } from '../run.js';
import { jsonLine, printLine } from '../terminal/index.js';
import { fleetProblems } from './fleet-problems.js';
import { fleetTable } from './fleet-table.js';
import { natsLogin, type NatsLogin } from './nats-login.js';

const HELP = `lobby-rx fleet: the workers, consumers and streams of a fleet
lobby-rx fleet drain WORKER: makes a worker give up its shards, and end

  --fleet NAME       the name of the fleet; default: lobby
  --nats URL         address of NATS, like nats://127.0.0.1:4222, or several
                     with commas; default: NATS_URL
  --late SECONDS     a consumer has a problem if it leaves a message for longer;
                     default: 60
  --json             prints JSON on a terminal, too
  --help             prints this help

NATS_USER and NATS_PASSWORD, NATS_USER alone for a token, or NATS_CREDS for a
file are how to log in. NATS_CA, NATS_CERT and NATS_KEY are files for TLS.
lobby-rx fleet changes nothing. Needs the packages @nats-io/transport-node,
@nats-io/jetstream and @nats-io/kv. The docs list the rights that each needs.

Exit codes: 0 no problem, or drained; 1 a problem, or refused; 2 wrong
arguments, or a package is missing; 3 NATS was not reached.
`;

/** When a consumer is late, in ms, if `--late` does not say. */
const LATE_MS = 60_000;

/** A name, as the library takes it. */
const NAME = {
  fleet: { pattern: /^[a-z0-9_-]{1,32}$/, of: 'at most 32 small letters, digits, _ and -' },
  worker: { pattern: /^[A-Za-z0-9_-]{1,64}$/, of: 'at most 64 letters, digits, _ and -' },
};

/** How long everything may take, in ms. A worker may take 30 s to leave. */
const DEADLINE_MS = 60_000;

const PACKAGES = '@nats-io/transport-node @nats-io/jetstream @nats-io/kv';

/** `lobby-rx fleet`: shows a fleet, or drains one of its workers. */
export function fleet(args: readonly string[]): Promise<void> {
  return run(() => {
    const text = { type: 'string' } as const;
    const boolean = { type: 'boolean', default: false } as const;
    const flags = {
      fleet: text,
      nats: text,
      late: text,
      json: boolean,
      help: { ...boolean, short: 'h' },
    } as const;
    const { values, positionals } = parseFlags('fleet', args, { flags, takesArguments: true });
    if (values.help) return HELP;
    const worker = workerIn(positionals);
    if (worker !== undefined && values.late !== undefined)
      throw new Error('--late is only used without drain');
    const lateAfter = secondsIn('--late', values.late) ?? LATE_MS;
    const fleet = nameIn('--fleet', NAME.fleet, values.fleet ?? 'lobby');
    const login = natsLogin(values.nats, process.env);
    const isForPeople = process.stdout.isTTY && !values.json;
    return withFleet(login, (nats, { fleetStatus, drainWorker }) =>
      worker === undefined
        ? fleetStatus({ nats, fleet }).pipe(
            switchMap(status => {
              const problems = fleetProblems(status, lateAfter);
              if (problems.length > 0) process.exitCode = EXIT.refused;
              return printLine(
                isForPeople ? fleetTable(status, problems) : jsonLine({ ...status, problems }),
              );
            }),
          )
        : drainWorker({ nats, fleet, worker }).pipe(
            switchMap(() => printLine(isForPeople ? `${worker} has left` : jsonLine({ drained: worker }))),
          ),
    );
  });
}

/** The worker to drain. `undefined` if the fleet is to be shown. */
function workerIn([verb, worker, ...more]: readonly string[]): string | undefined {
  if (verb === undefined) return undefined;
  // The argument is not quoted, because it may be a token.
  if (verb !== 'drain' || more.length > 0)
    throw new Error('lobby-rx fleet takes no arguments but drain WORKER; see lobby-rx fleet --help');
  if (worker === undefined) throw new Error('the name of the worker is missing: lobby-rx fleet drain WORKER');
  return nameIn('WORKER', NAME.worker, worker);
}

function nameIn(argument: string, { pattern, of }: (typeof NAME)[keyof typeof NAME], text: string): string {
  if (pattern.test(text)) return text;
  throw new Error(`${argument} must be a name of ${of}; got ${shown(text)}`);
}

type FleetLibrary = typeof import('../../../integrations/fleet/index.js');

/** Connects to NATS for some work. The packages of NATS are loaded only now, and may be missing. */
function withFleet(
  { options, creds }: NatsLogin,
  work: (nats: Promise<NatsConnection>, library: FleetLibrary) => Observable<unknown>,
): Observable<unknown> {
  const work$ = defer(() => from(packages())).pipe(
    switchMap(([{ connect, credsAuthenticator }, library]) => {
      const nats = connect(creds ? { ...options, authenticator: credsAuthenticator(creds) } : options);
      let isReached = false;
      const close = async () => {
        await (await nats).close();
      };
      nats.then(
        () => {
          isReached = true;
        },
        () => undefined,
      );
      return work(nats, library).pipe(
        catchError((error: unknown) => throwError(() => failure(error as Error, isReached))),
        finalize(() => void close().catch(() => undefined)),
      );
    }),
  );
  return work$.pipe(timeout({ first: DEADLINE_MS, with: () => throwError(() => LATE) }));
}

const LATE = new ExitError(`NATS has not told all within ${DEADLINE_MS / 1_000} s`, EXIT.unreachable);

/** NATS or the library has refused something, or NATS was not reached at all. */
function failure({ message, cause }: Error, isReached: boolean): ExitError {
  const isRefused = isReached || (cause instanceof Error && cause.name === 'AuthorizationError');
  return new ExitError(message, isRefused ? EXIT.refused : EXIT.unreachable);
}

async function packages() {
  try {
    return await Promise.all([
      import('@nats-io/transport-node'),
      import('../../../integrations/fleet/index.js'),
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ExitError(`a package of NATS is missing: npm install ${PACKAGES}`, EXIT.usage);
  }
}
