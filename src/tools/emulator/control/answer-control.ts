import { of, type Observable } from 'rxjs';
import { checkArgument, InputError, isInputError, plainObject } from '../../../error/index.js';
import type { EmulatedRequest, EmulatedResponse, Handler } from '../service/index.js';
import type { Control } from './control.js';

/** The beginning of the paths of all commands. */
export const CONTROL_PATH = '/_emulator/';
/** The beginning of the paths of a workbench. */
const WORKBENCH_PATH = `${CONTROL_PATH}workbench/`;
/** Matches the URL of the page of a workbench. */
const PAGE = /^\/_emulator\/workbench\/?(\?|$)/;

/** Who may send commands over HTTP. */
export interface ControlAccess {
  /** Whether the Authorization header of a request has the secret. */
  readonly isAllowed: (authorization: string) => boolean;
  /**
   * The values of the Host header that name this server, in small letters. A page of another site
   * that has rebound its name to this server sends another value.
   */
  readonly hosts: readonly string[];
}

/** The handlers for {@link CONTROL_PATH}. */
export interface Controls {
  readonly control: Control;
  readonly workbench?: Handler;
}

/**
 * Carries out the command in a request. `POST /_emulator/token/expire` is `token expire`, and the
 * body has its fields as JSON.
 * A path that begins with `/_emulator/workbench` goes to the workbench. The page of the workbench
 * needs no secret, because it contains none. Its requests need the secret.
 * The answer has no CORS headers, because no page of another origin may send commands.
 */
export function answerControl(
  { control, workbench }: Controls,
  { isAllowed, hosts }: ControlAccess,
  request: EmulatedRequest,
): Observable<EmulatedResponse> {
  const { method, url, headers, body } = request;
  // The code tells a client that the answer does not come from a proxy.
  const refuse = (status: number, message: string, more = {}) =>
    of(answer(status, { code: 'CONTROL_REFUSED', message }, more));
  const host = headers.host?.toLowerCase() ?? '';
  if (!hosts.includes(host)) return refuse(403, `the host must be ${hosts.join(' or ')}`);
  if (
    headers.origin !== undefined &&
    !['http:', 'https:'].some(scheme => headers.origin === `${scheme}//${host}`)
  )
    return refuse(403, 'pages of other origins may not send commands');
  if (workbench && method === 'GET' && PAGE.test(url)) return workbench(request);
  if (!isAllowed(headers.authorization ?? ''))
    return refuse(401, 'the secret that the emulator has printed is needed, as a bearer token');

  try {
    if (workbench && url.startsWith(WORKBENCH_PATH)) return workbench(request);
    if (method !== 'POST') return refuse(405, 'the method for commands is POST', { allow: 'POST' });
    const [path] = url.slice(CONTROL_PATH.length).split('?', 1);
    return of(answer(200, control.run(path!.replaceAll('/', ' '), parse(body))));
  } catch (error) {
    if (!isInputError(error)) throw error;
    return refuse(error.argument === 'command' ? 404 : 400, error.message);
  }
}

function parse(body: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return checkArgument('body', plainObject, JSON.parse(body ?? '{}'));
  } catch {
    throw new InputError('body', 'a JSON object with the fields of the command', 'something else');
  }
}

function answer(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): EmulatedResponse {
  const json = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}
