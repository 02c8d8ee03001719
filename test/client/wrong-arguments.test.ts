import { ok, strictEqual } from 'node:assert';
import { NEVER, of, type Observable } from 'rxjs';
import { createClient, getMembers, isInputError, watchSignals, type Endpoint } from 'lobby-rx';
import { answer } from '../poll-script.js';
import { virtualTime } from '../virtual-time.js';

const config = { url: 'https://a.example', token: 't', transport: () => NEVER };

function failure(asked$: Observable<unknown>): unknown {
  let failure: unknown;
  asked$
    .subscribe({
      error: (error: unknown) => {
        failure = error;
      },
    })
    .unsubscribe();
  return failure;
}

describe('a request', () => {
  it('ends with an InputError if its endpoint is not one', () => {
    const client = createClient(config);
    for (const other of [undefined, null, {}, 7, { ...getMembers, path: undefined }]) {
      const endpoint = other as Endpoint<object, unknown, 'GET'>;
      ok(isInputError(failure(client.request(endpoint, {}))));
      ok(isInputError(failure(client.watch(endpoint as never, {}))));
    }
  });
});

describe('a clock that throws', () => {
  it('ends the watch, and nothing else', () => {
    const { scheduler, pass } = virtualTime();
    let calls = 0;
    const now = () => {
      if (++calls > 2) throw new Error('no time');
      return 0;
    };
    const errors: unknown[] = [];
    watchSignals(() => of(answer('1', 'a')), { scheduler, testing: { monotonic: { now } } }).subscribe({
      error: (error: unknown) => errors.push((error as Error).message),
    });
    pass(1_000);
    strictEqual(errors.join(), 'no time');
  });
});
