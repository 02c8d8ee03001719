import { catchError, concat, concatMap, from, of, type Observable, type SchedulerLike } from 'rxjs';
import { CODE_OF_REASON, type GateReason } from '../../../player/index.js';
import { connectionProblem } from './connection-findings.js';
import { final, ok, problem, warning, type Finding } from './finding.js';
import { knownProxy } from './known-proxy.js';
import {
  textFrame,
  visitWebSocket,
  type NotOpened,
  type Opened,
  type VisitConfig,
} from './web-socket-visit.js';

/** Not a token. A gate refuses it, and asks the service nothing. */
const BLANK = textFrame(' ');

/**
 * Empty pieces that have no end, with more bytes than a gate takes before the first message is
 * complete. What passes bytes on lets the gate see them. What puts messages together does not.
 */
const PIECES = Buffer.concat([
  textFrame('', { isLast: false }),
  ...Array.from({ length: 3_000 }, () => textFrame('', { isFirst: false, isLast: false })),
]);
const LAST_PIECE = textFrame('', { isFirst: false });

/**
 * Visits a lobby twice as a player without a token. Checks whether the way to it lets WebSockets
 * through, whether a `lobbyGate` is there, what it says, and whether that arrives unchanged. Only a
 * gate knows the reasons with which it refuses.
 */
export function lobbyFindings(
  url: URL,
  origin: string | undefined,
  scheduler?: SchedulerLike,
): Observable<Finding> {
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isPlain = url.protocol === 'ws:' && !isHere;
  return concat(
    isPlain ? of(UNENCRYPTED) : [],
    visitWebSocket(url, { origin, parts: [BLANK], scheduler }).pipe(
      concatMap(visit => {
        if (visit.kind === 'not_opened')
          return of(refused(visit.text, visit.status, origin) ?? final(notOpened(visit, url)));
        const findings = from(openedFindings(visit, origin));
        return takesFirstMessage(visit)
          ? concat(findings, pieceFindings(url, { origin, scheduler }))
          : findings;
      }),
      catchError((error: unknown) =>
        of(final((error as Error).name === 'TimeoutError' ? UNANSWERED : connectionProblem(error, 'lobby'))),
      ),
    ),
  );
}

const UNENCRYPTED = warning(
  'connection',
  'ws: is not encrypted, so that others can read tokens',
  'use wss:, which pages of https: need',
);

/** The reasons that a gate may have before it has seen a token, what each means, and what to do. */
const REASONS: ReadonlyMap<string, readonly [text: string, advice: string]> = new Map<
  GateReason,
  readonly [string, string]
>([
  ['no_such_path', ['a gate is here, but not at this path', 'use the `path` of the gate']],
  ['no_handshake', ['the gate gets an incomplete handshake', 'let proxies pass the headers Sec-WebSocket-*']],
  ['origin', ['the gate refuses pages of this origin', 'let its allowOrigin return true for it']],
  [
    'address',
    [
      'the gate refuses the address of this machine',
      'see allowAddress; behind a proxy, set addressOf, or all players have the address of the proxy',
    ],
  ],
  ['busy', ['the gate is busy', 'ask again later; maxPending is for many players at once']],
  ['hook_failed', ['a hook of the gate fails', 'see the log of the gate']],
  ['gate_closed', ['the gate has been closed', 'ask again when the lobby has started']],
  [
    'no_token_in_time',
    ['the gate is reached, but messages to it are not', 'let proxies pass messages on when they come'],
  ],
]);

/** The finding for a reason of a gate. `undefined` if it is none. */
function refused(reason: string, code: number, origin: string | undefined): Finding | undefined {
  const said = `(${code} ${reason})`;
  if (reason === 'origin' && origin === undefined)
    return problem(
      'gate',
      `the gate is for pages only ${said}`,
      'ask again with --origin and the origin of your page',
    );
  const [text, advice] = REASONS.get(reason) ?? [];
  return text === undefined || advice === undefined ? undefined : problem('gate', `${text} ${said}`, advice);
}

const PASS_UPGRADES =
  'check the path; a proxy has to pass upgrades on (in nginx: proxy_http_version 1.1, Upgrade and Connection)';

/** A server whose only listener is a gate does not answer what is no upgrade. */
const UNANSWERED = problem('lobby', 'the handshake is not answered', PASS_UPGRADES);

/** The finding if an HTTP answer came that is not a gate's. */
function notOpened({ status, headers, text }: NotOpened, url: URL): Finding {
  const proxy = knownProxy(headers, text)?.name ?? 'something';
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, url)) {
    const { origin, pathname } = new URL(location, url);
    return problem(
      'lobby',
      `is a redirect (${status}) to ${origin + pathname}, which WebSockets do not follow`,
      'use its wss: URL',
    );
  }
  if (status >= 500)
    return problem(
      'lobby',
      `${proxy} answers (${status}), and no lobby`,
      'see whether the lobby runs, and where the proxy looks for it',
    );
  if (status === 400 && url.protocol === 'ws:')
    return problem(
      'lobby',
      'the server rejects the handshake (400)',
      `does it speak TLS? Then use wss:; or ${PASS_UPGRADES}`,
    );
  if ([401, 403, 407, 429, 511].includes(status))
    return problem(
      'lobby',
      `${proxy} refuses the handshake (${status}), and no gate`,
      'let it pass WebSockets on',
    );
  return problem('lobby', `opens no WebSocket (${status})`, PASS_UPGRADES);
}

const isNoToken = ({ code, text }: Opened) => code === CODE_OF_REASON.no_token && text === 'no_token';
const takesFirstMessage = (visit: Opened) => isNoToken(visit) && visit.sent > 0;

/** The findings on a WebSocket that was opened. */
function openedFindings(visit: Opened, origin: string | undefined): readonly Finding[] {
  const { isWebSocket, hasProtocol, text, code } = visit;
  if (!isWebSocket) return [final(problem('lobby', 'answers the handshake wrongly', 'check the URL'))];
  if (!isNoToken(visit)) return [refused(text, code, origin) ?? final(otherServer(visit))];
  const source =
    visit.sent > 0 ? 'from the first message' : "from the query (set token: 'query'), or a header";
  const gate = ok('gate', `is here, and reads tokens ${source}`);
  return hasProtocol ? [gate] : [gate, PROTOCOL_LOST];
}

const PROTOCOL_LOST = problem(
  'protocol',
  'the answer has lost Sec-WebSocket-Protocol, so that pages refuse the connection',
  'let proxies pass that header, both ways',
);

/** The finding if what was opened did not end as at a gate. */
function otherServer({ end, code, text, sent }: Opened): Finding {
  const LOST = 'if the log of the gate has no_token at this moment, a proxy changes how connections end';
  const NO_GATE = 'check the URL and the path: another WebSocket server may be here';
  if (end === 'message')
    return problem('lobby', 'sends a message to a player without a token: it is no gate', NO_GATE);
  if (end === 'silence')
    return problem('lobby', 'opens a WebSocket, and is silent then: it is no gate', NO_GATE);
  if (end === 'broken')
    return problem(
      'lobby',
      `ends without a close frame (1006)${sent > 0 ? '' : ' at once'}`,
      `${NO_GATE}; ${LOST}`,
    );
  const said = text === '' ? `${code}, without a reason` : `${code} ${text}`;
  return problem('lobby', `closes as no gate does (${said})`, `${NO_GATE}; ${LOST}`);
}

/** Whether something on the way puts messages together, and makes connections of its own. */
function pieceFindings(url: URL, config: Omit<VisitConfig, 'parts'>): Observable<Finding> {
  return visitWebSocket(url, { ...config, parts: [PIECES, LAST_PIECE] }).pipe(
    concatMap(visit => {
      if (visit.kind === 'not_opened') return [];
      if (isNoToken(visit) && visit.sent === 2) return of(TAKEN_APART);
      return visit.text === 'too_large' ? of(ok('proxy', 'nothing on the way takes WebSockets apart')) : [];
    }),
    catchError(() => []),
  );
}

const TAKEN_APART = warning(
  'proxy',
  'something on the way takes WebSockets apart: a drop may reach the gate as 4006 or late, its pings end there',
  'better let it pass bytes on; else let it ping players, and take 4006 for 1006',
);
