import { deepStrictEqual } from 'node:assert';
import { eventsIn } from '../../../src/tools/workbench/read-answer.js';

describe('the events in an answer', () => {
  const said = (...kinds: readonly object[]) =>
    eventsIn(JSON.stringify({ events: kinds.map(kind => ({ kind, ts: '1970-01-01T00:00:00.007Z' })) }));

  it('are told in a few words', () => {
    const identity = { display_name: 'Ada', presence: { status: 'away' } };
    deepStrictEqual(
      said(
        { identity_update: { identity } },
        { identity_update: { identity: { display_name: 'Bo' } } },
        { matchmaker_lobby_join: { lobby: { region: { display_name: 'Frankfurt' } } } },
        { chat_message: { text: 'Hi' } },
        { score: { points: 7 } },
      ).map(({ text }) => text),
      ['Ada is away', 'Bo is offline', 'Frankfurt', '“Hi”', '{"points":7}'],
    );
    deepStrictEqual(said({ x: { text: 'y'.repeat(200) } })[0]!.text.length, 80);
  });

  it('may be anything', () => {
    deepStrictEqual(
      said({}, { x: null }, { x: { text: { toString: 1 } } }, { x: { identity: 7 } }).map(
        ({ kind, text }) => [kind, text],
      ),
      [
        ['unknown', '{}'],
        ['x', '{}'],
        ['x', '“{"toString":1}”'],
        ['x', 'undefined is offline'],
      ],
    );
    for (const body of [undefined, '', '{"events":[', '{"events":7}', 'no "events"'])
      deepStrictEqual(eventsIn(body), []);
  });
});
