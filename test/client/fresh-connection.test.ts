import { deepStrictEqual } from 'node:assert';
import { NEVER, of, Subject } from 'rxjs';
import { createClient, eventsWatch, type Transport, type TransportRequest } from 'lobby-rx';
import { virtualTime } from '../virtual-time.js';

/** A watch of events whose polls are answered by `answer`; by default, they hang. */
function stage(
  answer: (request: TransportRequest, nth: number) => ReturnType<Transport> = () => NEVER,
  ack?: () => Subject<void>,
) {
  const { scheduler, pass } = virtualTime();
  const wake$ = new Subject<void>();
  const requests: TransportRequest[] = [];
  const transport: Transport = request => answer(request, requests.push(request) - 1);
  const client = createClient({
    url: 'https://a.example',
    token: 't',
    transport,
    scheduler,
    testing: { random: () => 0 },
    watch: { wake$ },
  });
  const watching = client.events.batches(ack && { ack }).subscribe();
  const fresh = () => requests.map(({ needsFreshConnection }) => needsFreshConnection ?? false);
  return { pass, requests, fresh, wake$, watching };
}

const idle = (index: number) =>
  of({ status: 200, headers: { get: () => null }, text: `{"events":[],"watch":{"index":"${index}"}}` });

describe('a poll on a new connection', () => {
  it('follows a timeout, so that dead connections cost no more than one', () => {
    // Kept connections are dead; new ones work, and are kept.
    const { pass, fresh } = stage((request, nth) =>
      request.needsFreshConnection || nth > 1 ? idle(nth) : NEVER,
    );
    pass(69_999);
    deepStrictEqual(fresh(), [false]);
    pass(1);
    deepStrictEqual(fresh().slice(0, 3), [false, true, false]);
  });

  it('follows a wake, unless the poll is on a new one and younger than a second: it was sent because of the wake', () => {
    const { pass, fresh, wake$ } = stage();
    pass(10);
    wake$.next();
    pass(1_500);
    deepStrictEqual(fresh(), [false, true]);
    const { pass: passOther, fresh: other, wake$: wakes$ } = stage((_, nth) => (nth === 0 ? idle(1) : NEVER));
    passOther(10_000);
    wakes$.next();
    passOther(1);
    deepStrictEqual(other(), [false, false, true]);
    // The throttle of wakes is over before the poll is a second old.
    passOther(998);
    wakes$.next();
    passOther(10_000);
    deepStrictEqual(other(), [false, false, true]);
  });

  it('follows a wake during an acknowledgement, too', () => {
    const ack$ = new Subject<void>();
    const { pass, fresh, wake$ } = stage(
      (_, nth) => (nth < 1 ? idle(nth) : NEVER),
      () => ack$,
    );
    pass(100);
    wake$.next();
    ack$.complete();
    pass(5_000);
    deepStrictEqual(fresh(), [false, true]);
  });

  it('is not needed after an answer', () => {
    const { pass, fresh } = stage((_, nth) => (nth < 3 ? idle(nth) : NEVER));
    pass(10_000);
    deepStrictEqual(fresh(), [false, false, false, false]);
  });
});

describe('the timeout of a poll', () => {
  it('is not over with a 401 after which the token is renewed', () => {
    const { scheduler, pass } = virtualTime();
    let requests = 0;
    const transport: Transport = ({ onArrival }) => {
      if (++requests !== 2) return NEVER;
      onArrival?.(401);
      return of({ status: 401, headers: { get: () => null }, text: '' });
    };
    const client = createClient({
      url: 'https://a.example',
      token: () => 't',
      transport,
      scheduler,
      testing: { random: () => 0 },
      watch: { timeout: 10_000 },
    });
    const watching = client.watch(eventsWatch, {}, { from: '7' }).subscribe();
    pass(10_001);
    pass(30_000);
    watching.unsubscribe();
    deepStrictEqual(requests, 6);
  });

  it('is over when the answer begins to arrive', () => {
    const { pass, requests, watching } = stage();
    pass(60_000);
    requests[0]?.onArrival?.(200);
    pass(200_000);
    deepStrictEqual(requests.length, 1);
    watching.unsubscribe();
  });

  it('covers the body of a POST, and not that of a GET', () => {
    const { scheduler, pass } = virtualTime();
    const transport: Transport = ({ onArrival }) => {
      scheduler.schedule(() => onArrival?.(200), 1_000);
      return NEVER;
    };
    const client = createClient({ url: 'https://a.example', token: 't', transport, scheduler });
    const ends: string[] = [];
    const error = () => ends.push('timeout');
    client.matchmaker.players.connected({ player_token: 'p' }).subscribe({ error });
    pass(15_000);
    deepStrictEqual(ends, ['timeout']);
    client.group.getMembers({ group_id: 'g' }).subscribe({ error });
    pass(100_000);
    deepStrictEqual(ends, ['timeout']);
  });
});
