import {
  answerBehind,
  isDecodeError,
  isFromService,
  printable,
  type ClientError,
} from '../../../error/index.js';

/** A result of a check of `lobby-rx doctor`. It contains no token. */
export interface Finding {
  /** The name of the check, one word. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** The advice for the reader. */
  readonly advice?: string;
  /** Whether no other check makes sense, because no service answers. */
  readonly isFinal?: true;
}

export function ok(check: string, text: string): Finding {
  return { check, level: 'ok', text: line(text) };
}

export function warning(check: string, text: string, advice: string): Finding {
  return { check, level: 'warning', text: line(text), advice: line(advice) };
}

export function problem(check: string, text: string, advice: string): Finding {
  return { check, level: 'problem', text: line(text), advice: line(advice) };
}

const MAX_TEXT_LETTERS = 300;

/** A text as one printable line. It may contain words of a server, which can be anything. */
function line(text: string): string {
  const shown = printable(text);
  return shown.length > MAX_TEXT_LETTERS ? `${shown.slice(0, MAX_TEXT_LETTERS)}…` : shown;
}

export function final(finding: Finding): Finding {
  return { ...finding, isFinal: true };
}

/** The units of a duration, and the shortest time in ms that is given in each. */
const UNITS: readonly (readonly [unit: string, ms: number, from: number])[] = [
  ['days', 86_400_000, 172_800_000],
  ['hours', 3_600_000, 7_200_000],
  ['minutes', 60_000, 300_000],
];
const TOO_LONG_MS = 365 * 86_400_000;

/** A duration in words. A server may ask to wait for years. */
function duration(ms: number): string {
  if (ms >= TOO_LONG_MS) return 'more than a year';
  const [unit, length] = UNITS.find(([, , from]) => ms >= from) ?? ['s', 1_000];
  return `${Math.round(ms / length)} ${unit}`;
}

/** What a failed request depends on, besides the service. */
interface Depends {
  /** The server that may have answered instead of the service. */
  readonly proxy?: string | undefined;
  /** The argument that the service may not know. */
  readonly argument?: string;
}

/** The finding for an error of a request that the service should answer at once. */
export function failed(
  check: string,
  error: ClientError,
  { proxy = 'a proxy or another server', argument }: Depends = {},
): Finding {
  const answer = answerBehind(error);
  if (answer?.status === 429) {
    const { retryAfter } = answer;
    return retryAfter === undefined
      ? problem(check, 'the rate is limited (429), without a time to wait', 'let a proxy keep Retry-After')
      : problem(check, `the rate is limited (429) for ${duration(retryAfter)}`, 'try again after that');
  }
  if (answer && !isFromService(answer)) {
    const text = `${answer.status}, and not from the service: ${proxy} answers`;
    return problem(check, text, 'check the URL, and the proxies on the way');
  }
  if (answer) {
    const { status, code, rayId } = answer;
    // Without a ray id, nothing proves it.
    const who = rayId === undefined ? 'what seems to be the service' : 'the service';
    const text = `${who} answers ${status}${code === undefined ? '' : ` ${code}`}`;
    if (argument !== undefined && status >= 400 && status < 500 && status !== 401)
      return problem(check, text, `check ${argument}, and whether LOBBY_RX_TOKEN may see it`);
    if (status === 401 || status === 403)
      return problem(check, text, 'check LOBBY_RX_TOKEN: whose token it is, and whether it has expired');
    return problem(check, text, `ask its operators${rayId === undefined ? '' : `, and quote ${rayId}`}`);
  }
  if (isDecodeError(error)) return problem(check, error.message, 'something has changed the answer');
  return problem(check, error.message, 'check the connection, and the proxies on the way');
}
