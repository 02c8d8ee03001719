import { checkArgument, InputError, isInputError, plainObject } from '../../error/index.js';
import type { EmulatedRequest, EmulatedResponse } from '../service/index.js';
import type { Control } from './control.js';

/** What the paths of all commands begin with. */
export const CONTROL_PATH = '/_emulator/';

/** Who may send commands over HTTP. */
export interface ControlAccess {
  /** Whether the Authorization header of a request has the secret. */
  readonly isAllowed: (authorization: string) => boolean;
  /** The values of the Host header that are the server's own. A page of another site that has rebound its name has another one. */
  readonly hosts: readonly string[];
}

/**
 * Carries out the command in a request: `POST /_emulator/token/expire` is `token expire`, and the body has its fields as JSON.
 * The answer has no CORS headers: no page of a browser may send commands.
 */
export function answerControl(
  control: Control,
  { isAllowed, hosts }: ControlAccess,
  { method, url, headers, body }: EmulatedRequest,
): EmulatedResponse {
  if (!hosts.includes(headers.host ?? ''))
    return answer(403, { message: `the host must be ${hosts.join(' or ')}` });
  if (!isAllowed(headers.authorization ?? ''))
    return answer(401, { message: 'the secret that the emulator has printed is needed, as a bearer token' });
  if (method !== 'POST')
    return answer(405, { message: 'the method for commands is POST' }, { allow: 'POST' });

  const [path] = url.slice(CONTROL_PATH.length).split('?', 1);
  try {
    return answer(200, control.run(path!.replaceAll('/', ' '), parse(body)));
  } catch (error) {
    if (!isInputError(error)) throw error;
    return answer(error.argument === 'command' ? 404 : 400, { message: error.message });
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
  const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}
