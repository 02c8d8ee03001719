// Compiled, never run. Each line that must not compile has a @ts-expect-error.
import { of, timer, type Observable } from 'rxjs';
import * as t from 'io-ts';
import {
  createClient,
  endpoint,
  integer,
  struct,
  type AnyCodec,
  type Client,
  type EventCodecs,
  type IdentityUpdate,
  type LiveEvent,
  type LobbyJoin,
  type PayloadsOf,
} from 'lobby-rx';
import { Acknowledged, identityEventList, WatchData } from 'lobby-rx/codecs';
import { getMembers, playersConnected } from '../../src/endpoint/index.js';

declare const client: Client;

client.group.getMembers({ group_id: 'g', count: 1, anchor: null });
// @ts-expect-error: the group is missing
client.group.getMembers({ count: 1 });
// @ts-expect-error: a count is a number
client.group.getMembers({ group_id: 'g', count: '1' });
// @ts-expect-error: there is no such argument
client.group.getMembers({ group_id: 'g', coutn: 1 });
// @ts-expect-error: a token is needed
client.matchmaker.players.connected({});

client.events.feed.identityUpdate$ satisfies Observable<IdentityUpdate>;
client.events.feed.lobbyJoin$ satisfies Observable<LobbyJoin>;
client.events.feed.on('unknown') satisfies Observable<{ name: string; payload: unknown }>;
// @ts-expect-error: there is no such kind
client.events.feed.on('identity_updated');

client.watch(getMembers, { group_id: 'g' });
client.watchSignals(getMembers, { group_id: 'g' }) satisfies Observable<{
  kind: 'answer' | 'checkpoint' | 'gap' | 'status';
}>;
// @ts-expect-error: its answer has no watch.index
client.watch(playersConnected, { player_token: 'p' });
// @ts-expect-error: its answer has no anchor
client.pages(playersConnected, { player_token: 'p' });

const answersWatch = struct('AnswersWatch', { watch: WatchData, n: integer });
const withoutIndex = endpoint({ method: 'GET', service: 'api', path: '/x', response: answersWatch });
// @ts-expect-error: it takes no watch_index
client.watch(withoutIndex, {});

const ranked = endpoint({
  method: 'POST',
  service: 'api',
  path: '/{a}/x/{b_c}',
  query: struct('RankedQuery', {}, { watch_index: t.string }),
  body: struct('RankedBody', { name: t.string }),
  response: answersWatch,
});
client.request(ranked, { a: '', b_c: '', name: '' }) satisfies Observable<{ n: number }>;
// @ts-expect-error: a POST cannot be watched
client.watch(ranked, { a: '', b_c: '', name: '' });
// @ts-expect-error: b_c is missing
client.request(ranked, { a: '', name: '' });
// @ts-expect-error: name is missing
client.request(ranked, { a: '', b_c: '' });

const acknowledged = endpoint({ method: 'POST', service: 'api', path: '/x', response: Acknowledged });
client.request(acknowledged, {}) satisfies Observable<void>;

const batches: Client['events']['batches'] = config => client.events.batches(config);
batches({ ack: () => undefined });
batches({ ack: async () => Promise.resolve({ saved: true }) });
batches({ ack: () => timer(5) });
batches({ ack: () => of({ watch: 'end', error: 'lost' }) });
batches({ ack: () => ({ watch: 'resume', from: { index: '7', at: 0 } }) });
batches({ ack: ({ events }) => events.map(async () => Promise.resolve()) });
batches({ ack: async () => Promise.resolve(timer(5)) });
// @ts-expect-error: a row of an array is no decision
batches({ ack: () => [{ watch: 'resume', from: { index: '7', at: 0 } }] });
// @ts-expect-error: nothing would call the function
batches({ ack: () => () => timer(5) });
// @ts-expect-error: nothing would call the function
batches({ ack: async () => Promise.resolve(() => timer(5)) });
// @ts-expect-error: nothing would run the generator
batches({ ack: function* () {} });
// @ts-expect-error: there is no such decision
batches({ ack: () => of({ watch: 'ended' }) });
// @ts-expect-error: it does not say from where
batches({ ack: () => of({ watch: 'resume' }) });
// @ts-expect-error: an index is a string
batches({ ack: () => of({ watch: 'resume', from: 7 }) });
// @ts-expect-error: there is no such decision
batches({ ack: () => ({ watch: 'ended' }) });

// The names of codecs in a wide type are not known: that must not make each name a kind.
declare const codecs: Readonly<Record<string, AnyCodec>>;
declare const wide: ReturnType<typeof createClient>;
const ofCodecs = createClient({ url: '', token: '', kinds: codecs });
true satisfies keyof PayloadsOf<EventCodecs> extends never ? true : never;
for (const { events } of [wide, ofCodecs]) {
  events.feed.all$ satisfies Observable<LiveEvent>;
  // @ts-expect-error: there is no such kind
  events.feed.on('identity_updated');
}
const chatting = createClient({ url: '', token: '', kinds: { chat_message: t.string } });
chatting.events.feed.on('chat_message') satisfies Observable<{ payload: string }>;
// @ts-expect-error: a kind of this library
identityEventList({ malformed: t.string });
