import {
  concat,
  concatMap,
  connect,
  EMPTY,
  endWith,
  finalize,
  from,
  identity,
  ignoreElements,
  interval,
  last,
  map,
  merge,
  startWith,
  switchMap,
  takeUntil,
  takeWhile,
  tap,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import { clientOf, CONNECTION_FLAGS, urlOf, type ConnectionValues } from './connection-flags.js';
import {
  corsFindings,
  lobbyFindings,
  memberFindings,
  observedTransport,
  plainAnswer,
  final,
  problem,
  proxyFindings,
  serviceFindings,
  watchFindings,
  type Finding,
} from './diagnosis/index.js';
import { eventsWatch } from '../../endpoint/index.js';
import { redact } from '../../error/index.js';
import { fromFetch, ServiceProof } from '../../transport/index.js';
import { groupIn, parseFlags, shown } from './parse-flags.js';
import { EXIT } from './exit-code.js';
import { run } from './run.js';
import { jsonLine, printLine } from './terminal/index.js';

const HELP = `lobby-rx doctor: what breaks live feeds, in the service or on the way to it

  --origin URL       also asks whether pages of this origin are allowed:
                     https://…, capacitor://…, ionic://…, tauri://…, app://…,
                     chrome-extension://… or null
  --group GROUP      also reads members of this group
  --lobby URL        checks the way of a player to a lobby and its gate instead:
                     wss://…, with the path of the gate. Sends no token
  --json             prints JSON on a terminal, too
  --url URL          URL of the service; default: LOBBY_RX_API_URL, or
                     LOBBY_RX_URL
  --api-url URL      URL of the live events alone; used instead of --url
  --group-url URL    URL of groups alone, with --group; used instead of --url
  --insecure         allows plain http: to another machine
  --help             prints this help

LOBBY_RX_TOKEN is the token of an identity. Takes up to a minute if all is well:
as long as the service holds a poll; three minutes at most. It sends about
fifteen requests, and changes nothing. With --lobby it needs no token, takes a
few seconds, and the log of the gate has two refusals of it. Prints
a line for each finding, with what to do; otherwise JSON, one finding per line.

Exit codes: 0 no problem, 1 a problem, 2 wrong arguments, 3 no service or gate.
`;

/** How long all checks may take together, in ms. One poll is most of it. */
const DEADLINE_MS = 180_000;

const LATE = final(
  problem('doctor', `is not done after ${DEADLINE_MS / 1_000} s`, 'see whether answers end that have begun'),
);

const MARKS = { ok: '✔', warning: '!', problem: '✖' } as const;

/** `lobby-rx doctor`: checks a service and prints findings. */
export function doctor(args: readonly string[]): Promise<void> {
  return run(() => {
    const text = { type: 'string' } as const;
    const boolean = { type: 'boolean', default: false } as const;
    const flags = {
      ...CONNECTION_FLAGS,
      'api-url': text,
      'group-url': text,
      origin: text,
      group: text,
      lobby: text,
      json: boolean,
    };
    const { values } = parseFlags('doctor', args, { flags });
    if (values.help) return HELP;
    const origin = values.origin === undefined ? undefined : originIn(values.origin);
    const checks$ =
      values.lobby === undefined
        ? checksOfService(values, origin)
        : lobbyFindings(lobbyIn(values.lobby, values), origin);
    const findings$ = merge(checks$.pipe(endWith(undefined)), timer(DEADLINE_MS).pipe(map(() => LATE))).pipe(
      takeWhile((finding): finding is Finding => finding !== undefined),
      takeWhile(({ isFinal }) => !isFinal, true),
      map(finding => withoutToken(finding, process.env.LOBBY_RX_TOKEN)),
    );
    const isForPeople = process.stdout.isTTY && !values.json;
    return findings$.pipe(exitCode(), waiting(isForPeople), print(isForPeople ? row : jsonLine));
  });
}

interface ServiceValues extends ConnectionValues<'api' | 'group'> {
  readonly group: string | undefined;
}

function checksOfService(values: ServiceValues, origin: string | undefined): Observable<Finding> {
  if (values['group-url'] !== undefined && values.group === undefined)
    throw new Error('--group-url is only used with --group');
  const group = values.group === undefined ? undefined : groupIn('--group', values.group);
  // All requests for live events are judged by one proof, with and without a token.
  const proof = new ServiceProof();
  const { transport, lastAnswer } = observedTransport(fromFetch(), proof);
  const isFromService = () => lastAnswer()?.isFromService === true;
  const client = clientOf('api', values, { transport, isFromService });
  const url = urlOf('api', values).url.replace(/\/+$/, '');
  return concat(
    from(proxyFindings(new URL(url), process.env)),
    serviceFindings(url, proof),
    origin === undefined ? EMPTY : corsFindings(url, origin),
    group === undefined ? EMPTY : memberFindings(clientOf('group', values), group),
    watchFindings(client, {
      now: () => performance.now(),
      lastAnswer,
      withoutToken$: plainAnswer(url + eventsWatch.path, { proof }),
    }),
  );
}

/** Without a token, which nobody has to send in order to ask. */
function lobbyIn(text: string, values: ServiceValues): URL {
  const { url, 'api-url': api, 'group-url': groups, group } = values;
  if ([url, api, groups, group].some(value => value !== undefined) || values.insecure)
    throw new Error('--lobby is only used with --origin and --json');
  const lobby = /^wss?:\/\/[^\s#@]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!lobby || lobby.searchParams.has('token'))
    throw new Error(`--lobby must be like wss://lobby.example/play, without a token; got ${shown(text)}`);
  return lobby;
}

function originIn(text: string): string {
  // The origins of the pages of apps. Browsers send `null` for files and sandboxed frames.
  if (text === 'null' || /^(capacitor|ionic|tauri|app|chrome-extension):\/\/[\w.-]+$/.test(text)) return text;
  const { origin } = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : { origin: 'null' };
  if (origin === 'null' || !['', '/'].includes(text.slice(origin.length)))
    throw new Error(
      `--origin must be like https://game.example or capacitor://localhost; got ${shown(text)}`,
    );
  return origin;
}

/** Removes the token from a finding, because a server may repeat the token in its answer. */
function withoutToken(finding: Finding, token = ''): Finding {
  const { text, advice } = finding;
  return {
    ...finding,
    text: redact(text, [token]),
    ...(advice !== undefined && { advice: redact(advice, [token]) }),
  };
}

/** Sets the exit code at a problem. The Observable does not end, so the other checks go on. */
function exitCode(): MonoTypeOperatorFunction<Finding> {
  return tap(({ level, isFinal }) => {
    if (level === 'problem') process.exitCode = isFinal ? EXIT.unreachable : EXIT.refused;
  });
}

/** Shows on a terminal for how long doctor has been waiting. */
function waiting(isForPeople: boolean): MonoTypeOperatorFunction<Finding> {
  if (!isForPeople || !process.stderr.isTTY) return identity;
  const show = (text: string) => void process.stderr.write(`\r\x1b[K${text}`);
  return findings$ =>
    findings$.pipe(
      connect(shared$ =>
        merge(
          shared$,
          shared$.pipe(
            startWith(undefined),
            switchMap(() => interval(1_000)),
            tap(second => show(`  waiting for an answer: ${second + 1} s`)),
            ignoreElements(),
            takeUntil(shared$.pipe(last(undefined, undefined))),
          ),
        ),
      ),
      tap(() => show('')),
      finalize(() => show('')),
    );
}

const print = (lineOf: (finding: Finding) => string) =>
  concatMap((finding: Finding) => printLine(lineOf(finding)));

const row = ({ check, level, text, advice }: Finding) =>
  `${MARKS[level]} ${check.padEnd(11)} ${text}${advice === undefined ? '' : `\n  ${''.padEnd(11)} → ${advice}`}`;
