import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { catchError, map, of } from 'rxjs';
import { fromRecording, withRecording, type EmulatedResponse, type Handler } from '../emulator/index.js';
import { isTransportError } from '../../error/index.js';
import { fromFetch, type Transport } from '../../transport/index.js';
import { warn } from './terminal/index.js';

/**
 * A transport whose requests and answers are recorded in a new file. Throws an error if there is
 * such a file.
 */
export function recordTo(path: string): Transport {
  let file: number | undefined;
  const write = (line: string) => {
    if (file === undefined) return;
    try {
      appendFileSync(file, `${line}\n`);
    } catch (error) {
      warn(`the recording ends here: ${(error as NodeJS.ErrnoException).code}`);
      closeSync(file);
      file = undefined;
    }
  };
  const transport = withRecording(fromFetch(), write);
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EEXIST'
        ? `--record must be the path of a new file; ${path} exists`
        : `--record: ${path} cannot be created: ${code}`,
    );
  }
  warn(`recording to ${path}: shapes, times and names of fields; no texts, no ids`);
  return transport;
}

/**
 * A service that answers as recorded in a file. Throws an error if the file cannot be read or has
 * no recording.
 */
export function handlerOfRecording(path: string): Handler {
  const transport = fromRecording(textOf(path));
  return ({ method, url }) =>
    transport({
      method,
      url: `http://127.0.0.1${url}`,
      headers: {},
      ...(url.includes('watch_index=') && { kind: 'poll' as const }),
    }).pipe(
      map(({ status, headers, text }): EmulatedResponse => {
        const type = headers.get('content-type') ?? 'application/json';
        const retryAfter = headers.get('retry-after');
        return {
          status,
          body: text,
          headers: { 'content-type': type, ...(retryAfter !== null && { 'retry-after': retryAfter }) },
        };
      }),
      catchError((error: unknown) => {
        const isUnknown = isTransportError(error) && error.reason === 'not_sent';
        if (isUnknown) warn(error.message);
        const body = isUnknown ? JSON.stringify({ message: error.message }) : '';
        const answer = { status: isUnknown ? 404 : 0, headers: {}, body };
        return of<EmulatedResponse>(isUnknown ? answer : { ...answer, delivery: 'reset_before_headers' });
      }),
    );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`--replay: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
