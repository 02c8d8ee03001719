import { ok, strictEqual } from 'node:assert';
import { catchError, lastValueFrom, of, throwError } from 'rxjs';
import {
  explainFailure,
  fromFetch,
  isTransportError,
  withLog,
  withToken,
  type FetchLike,
  type Token,
  type Transport,
  type TransportRequest,
} from 'lobby-rx';

const get: TransportRequest = { method: 'GET', url: 'https://group.example/', headers: {} };
const headers = { get: () => null };

const READ = [
  'message',
  'code',
  'cause',
  'name',
  'type',
  'errors',
  'syscall',
  'stack',
  '_tag',
  'constructor',
];
const CONVERTED = ['toString', 'toJSON', 'then', Symbol.toPrimitive, Symbol.toStringTag];

/** What throws when it is read: one of its properties, or any. */
function hostileErrors(): readonly unknown[] {
  const refuse = () => {
    throw new Error('not to be read');
  };
  const lacking = [...READ, ...CONVERTED].flatMap(name =>
    [new Error('no'), { code: 'EPIPE', message: 'no' }].map(error =>
      Object.defineProperty(error, name, { get: refuse }),
    ),
  );
  const traps = new Proxy({}, { get: () => refuse });
  const { proxy: revoked, revoke } = Proxy.revocable([], {});
  revoke();
  return [...lacking, new Proxy(new Error('no'), traps), { errors: revoked }, revoked];
}

describe('an error that throws when it is read', () => {
  const ends = async (answer: ReturnType<Transport>, reason: string) => {
    const error = await lastValueFrom(answer.pipe(catchError((e: unknown) => of(e))));
    // Not in a message: it must not be read here, either.
    ok(isTransportError(error), 'the request ended with something else');
    strictEqual(error.reason, reason);
  };

  it('is a lost connection if a fetch fails with it, or the body', async () => {
    for (const error of hostileErrors()) {
      const reject: FetchLike = () => Promise.reject(error);
      const throwing: FetchLike = () => {
        throw error;
      };
      const body = { getReader: () => ({ read: reject }) };
      const broken: FetchLike = () => Promise.resolve({ status: 200, headers, body, text: reject as never });
      for (const fetch of [reject, throwing, broken]) await ends(fromFetch({ fetch })(get), 'lost');
    }
  });

  it('is a lost connection if a transport fails with it', async () => {
    for (const error of hostileErrors()) {
      const failing: Transport = () => throwError(() => error);
      const throwing: Transport = () => {
        throw error;
      };
      for (const transport of [failing, throwing]) await ends(withToken(transport, 't')(get), 'lost');
      const entries: unknown[] = [];
      await lastValueFrom(withLog(failing, entry => entries.push(entry))(get).pipe(catchError(() => of(0))));
      strictEqual(entries.length, 2);
    }
  });

  it('is a request that is not sent if a token provider fails with it', async () => {
    const refusing: Transport = () => of({ status: 401, headers, text: '' });
    for (const error of hostileErrors()) {
      const failures: readonly (() => unknown)[] = [
        () => {
          throw error;
        },
        () => Promise.reject(error),
        () => throwError(() => error),
      ];
      for (const fail of failures) {
        await ends(withToken(refusing, fail as Token)(get), 'not_sent');
        const renewing = { get: () => 't', renew: fail } as Token;
        await ends(withToken(refusing, renewing)(get), 'not_sent');
      }
    }
  });

  it('does not hide what else it says', () => {
    const hostile = (name: string, error: object) =>
      Object.defineProperty(error, name, {
        get: () => {
          throw new Error('not to be read');
        },
      });
    for (const name of ['message', 'type', 'cause', 'name']) {
      const error = explainFailure(hostile(name, { code: 'ENOTFOUND' }), get);
      strictEqual(
        error.message,
        'the service cannot be reached: ENOTFOUND (GET https://group.example/)',
        name,
      );
    }
    const { cause } = explainFailure(hostile('code', new Error('no')), get);
    strictEqual((cause as Error).message, 'no');
  });
});
