import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { defaultIfEmpty, defer, from, map, Observable, scan, takeLast, takeWhile } from 'rxjs';

/**
 * The most letters that are read, far more than any token has. A wrong file must not fill the
 * memory.
 */
const MAX_SECRET_LETTERS = 65_536;

/**
 * Emits the first line of standard input, without spaces around it. An empty input emits an empty
 * text. On a terminal it prints a prompt, but not the typed text. The Observable is cold, and
 * unsubscribing ends reading.
 */
export function readSecret(prompt: string): Observable<string> {
  return defer(() => (process.stdin.isTTY ? typedLine(prompt) : pipedLine())).pipe(
    defaultIfEmpty(''),
    map(line => line.trim()),
  );
}

function pipedLine(): Observable<string> {
  return from(process.stdin as AsyncIterable<Buffer>).pipe(
    scan((bytes, chunk) => Buffer.concat([bytes, chunk])),
    map(bytes => new TextDecoder(encodingOf(bytes)).decode(bytes)),
    takeWhile(text => !text.includes('\n') && text.length <= MAX_SECRET_LETTERS, true),
    takeLast(1),
    map(text => text.split('\n', 1)[0]!),
  );
}

/**
 * The encoding of the input. PowerShell writes UTF-16, with a mark of two bytes before the text. No
 * UTF-8 text begins with such a mark, and no token contains zero bytes.
 */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff || second === 0) return 'utf-16le';
  return first === 0xfe || first === 0 ? 'utf-16be' : 'utf-8';
}

function typedLine(prompt: string): Observable<string> {
  return new Observable(subscriber => {
    // The line editor echoes to its output, so its output goes nowhere. In raw mode, the terminal
    // itself does not echo.
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const editor = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
    process.stderr.write(prompt);
    editor.once('line', line => {
      subscriber.next(line);
      subscriber.complete();
    });
    editor.once('close', () => subscriber.complete());
    // In raw mode, Ctrl-C is a character like any other.
    editor.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    return () => {
      editor.close();
      process.stderr.write('\n');
    };
  });
}
