import { deepStrictEqual } from 'node:assert';
import { clientsOf } from '../../../../../src/tools/workbench/page/outcome/clients-of.js';
import { deliveriesOf } from '../../../../../src/tools/workbench/page/outcome/delivery-of.js';
import type { SeenRequest } from '../../../../../src/tools/workbench/world-view.js';
import { action, answered, event, poll } from './seen.js';

const RETENTION = 300_000;
const sent = action(1_000, 'message Hi');
const got = answered(1_122, '1200', event(1_000));
const deliveries = (requests: readonly SeenRequest[], of = sent) =>
  deliveriesOf([of], clientsOf(requests), RETENTION)
    .get(of)!
    .map(({ state, why, deadline }) => [state, why, deadline].filter(said => said !== undefined));

describe('the delivery of an event', () => {
  it('is sent with an answer, and there once its client polls with the index of that', () => {
    deepStrictEqual(deliveries([poll(0, '900', got)]), [['sent']]);
    deepStrictEqual(deliveries([poll(0, '900', got), poll(1_126, '1200')]), [['has']]);
    const clients = clientsOf([poll(0, '900', got), poll(1_126, '1200')]);
    const [delivery] = deliveriesOf([sent], clients, RETENTION).get(sent)!;
    deepStrictEqual(
      [delivery!.sentAt, delivery!.answer!.ended_at, delivery!.proof!.at],
      [1_000, 1_122, 1_126],
    );
  });

  it('is not there because another client of the identity polls with that index', () => {
    const requests = [poll(0, '900', got), poll(10, '900', got), poll(1_130, '1200')];
    deepStrictEqual(deliveries(requests), [['has'], ['sent']]);
  });

  it('is not there if its client polls with the index from before', () => {
    deepStrictEqual(deliveries([poll(0, '900', got), poll(1_126, '900')]), [['sent']]);
  });

  it('waits for a client that is gone, as long as the service keeps what comes after its index', () => {
    const gone = poll(0, '800', answered(500, '900'));
    deepStrictEqual(deliveries([gone]), [['waits', 900 + RETENTION]]);
    deepStrictEqual(deliveries([gone, poll(600, '900')]), [['waits', 900 + RETENTION]]);
    deepStrictEqual(deliveries([gone, poll(600, '900', { ended_at: 1_100, status: 0 })]), [
      ['waits', 900 + RETENTION],
    ]);
    // It has never had an answer.
    deepStrictEqual(deliveries([poll(0, undefined)]), [['waits']]);
  });

  it('is lost if an answer after it was without it; a fault, or how its client came back, says why', () => {
    const without = (from: string | undefined, more: Partial<SeenRequest> = {}) =>
      deliveries([poll(500, from, { ...answered(1_200, '1201'), ...more })]);
    deepStrictEqual(without('900'), [['lost']]);
    deepStrictEqual(without('900', { fault: 'last_event_only' }), [
      ['lost', 'the fault “Only the last event is kept”'],
    ]);
    deepStrictEqual(without(undefined), [['lost', 'its client began without an index']]);
    // What its client met after that answer says nothing, and what it met before it does.
    const anew = poll(500, undefined, answered(1_200, '1201'));
    const hit = (at: number) => poll(at, '900', { ended_at: at + 90, status: 502, fault: 'proxy' });
    deepStrictEqual(deliveries([anew, hit(1_201)]), [['lost', 'its client began without an index']]);
    deepStrictEqual(deliveries([hit(950), { ...anew, at: 1_100 }]), [
      ['lost', 'the fault “Proxy answers 502”'],
    ]);
    const late = poll(400_000, '900', answered(400_001, '400001'));
    deepStrictEqual(deliveries([late]), [['lost', 'its client came back too late']]);
    // An answer from before it says nothing, nor one that its client cannot read.
    deepStrictEqual(deliveries([poll(500, '900', answered(999, '1000'))])[0]![0], 'waits');
    const cut: Partial<SeenRequest> = { ended_at: 1_200, status: 200, fault: 'truncated_json' };
    deepStrictEqual(deliveries([poll(500, '900', cut)])[0]![0], 'waits');
  });

  it('is not of a client that began after it beside another one', () => {
    const requests = [
      poll(0, '900', got),
      poll(1_126, '1200'),
      poll(1_500, undefined, answered(1_501, '1501')),
    ];
    deepStrictEqual(deliveries(requests), [['has']]);
  });

  it('is of nobody who does not follow events, and of others only if they got it', () => {
    deepStrictEqual(deliveries([{ ...poll(0, '1'), path: '/v1/groups/a/members?watch_index=1' }]), []);
    deepStrictEqual(deliveries([{ ...poll(0, '1'), who_id: 'b' }]), []);
    const seen = { ...poll(0, '900', got), who_id: 'b' };
    deepStrictEqual(deliveries([seen, poll(0, '900')], action(1_000, 'presence away')), [['sent']]);
  });

  it('is found by reading each request once, whatever the number of actions', () => {
    let reads = 0;
    const actions = Array.from({ length: 100 }, (_, i) => action(10 * i, 'message Hi'));
    const requests = actions.map(({ at }) => {
      const request = poll(at, '1', answered(at + 5, '2', event(at)));
      const read = () => {
        reads++;
        return [event(at)];
      };
      return Object.defineProperty(request, 'events', { get: read });
    });
    const clients = clientsOf(requests);
    reads = 0;
    const found = deliveriesOf(actions, clients, RETENTION);
    deepStrictEqual([found.get(actions[99]!)!.length, reads], [1, 100]);
  });
});
