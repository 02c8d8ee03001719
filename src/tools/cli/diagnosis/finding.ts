import {
  answerBehind,
  isDecodeError,
  isFromService,
  printable,
  type ClientError,
} from '../../../error/index.js';

/** What a check of `lobby-rx doctor` has found. It contains no token. */
export interface Finding {
  /** What was checked, in a word. */
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do. */
  readonly advice?: string;
  /** There is no service to check any further. */
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

const MAX_LETTERS = 300;

/** What a server says is in it, and may be anything. */
function line(text: string): string {
  const shown = printable(text);
  return shown.length > MAX_LETTERS ? `${shown.slice(0, MAX_LETTERS)}…` : shown;
}

export function final(finding: Finding): Finding {
  return { ...finding, isFinal: true };
}

/** Units, and from how many ms on a time is said in them. */
const UNITS: readonly (readonly [unit: string, ms: number, from: number])[] = [
  ['days', 86_400_000, 172_800_000],
  ['hours', 3_600_000, 7_200_000],
  ['minutes', 60_000, 300_000],
];
const TOO_LONG_MS = 365 * 86_400_000;

/** A time as one says it: someone may ask to wait for years. */
function duration(ms: number): string {
  if (ms >= TOO_LONG_MS) return 'more than a year';
  const [unit, length] = UNITS.find(([, , from]) => ms >= from) ?? ['s', 1_000];
  return `${Math.round(ms / length)} ${unit}`;
}

/**
 * What an error says that ended a request which the service need not hold. `proxy` is who has
 * answered if the service has not.
 */
export function failed(check: string, error: ClientError, proxy = 'a proxy or another server'): Finding {
  const answer = answerBehind(error);
  if (answer?.status === 429) {
    const { retryAfter } = answer;
    return retryAfter === undefined
      ? problem(check, 'the rate is limited (429), and not said for how long', 'let a proxy keep Retry-After')
      : problem(check, `the rate is limited (429) for ${duration(retryAfter)}`, 'try again after that');
  }
  if (answer && !isFromService(answer)) {
    const text = `${answer.status}, and not from the service: ${proxy} answers`;
    return problem(check, text, 'check the URL, and what is between');
  }
  if (answer) {
    const { status, code, rayId } = answer;
    const text = `the service answers ${status}${code === undefined ? '' : ` ${code}`}`;
    if (status === 401 || status === 403)
      return problem(check, text, 'check LOBBY_RX_TOKEN: whose token it is, and whether it has expired');
    return problem(check, text, `ask its operators${rayId === undefined ? '' : `, and quote ${rayId}`}`);
  }
  if (isDecodeError(error)) return problem(check, error.message, 'something has changed the answer');
  return problem(check, error.message, 'see whether the connection is stable, and what is between');
}
