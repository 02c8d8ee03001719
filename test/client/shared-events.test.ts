import { deepStrictEqual } from 'node:assert';
import * as t from 'io-ts';
import { Subject, tap } from 'rxjs';
import {
  createClient,
  eventsWatch,
  struct,
  type IdentityEventList,
  type WatchSharing,
  type WatchSignal,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { virtualTime } from '../virtual-time.js';

describe('a feed that is shared', () => {
  /** Two tabs: the watch of the first one is that of both. */
  const tabs = () => {
    const { scheduler, pass } = virtualTime();
    const emulator = createEmulator({ scheduler });
    const { token, identity_id } = emulator.addIdentity();
    const { url, transport } = emulator;
    const config = { url, transport, token, scheduler };
    const sent$ = new Subject<WatchSignal<never>>();
    // What a channel sends is a copy.
    const leads: WatchSharing = watch =>
      watch({}).pipe(tap(signal => sent$.next(structuredClone(signal) as never)));
    const follows: WatchSharing = () => sent$;
    const say = (text: unknown) => emulator.publish(identity_id, { chat: { text } });
    return { config, emulator, pass, leads, follows, say };
  };
  const chat = { chat: struct('Chat', { text: t.string }) };

  it('is decoded by each that shares it, also by one of a later deployment', () => {
    const { config, pass, leads, follows, say } = tabs();
    const texts: string[] = [];
    const unknown: string[] = [];
    const newer = createClient({ ...config, kinds: chat }).events.createFeed({ share: follows });
    newer.on('chat').subscribe(({ payload }) => texts.push(payload.text));
    const older = createClient(config).events.createFeed({ share: leads, linger: 0 });
    const leading = older.unknown$.subscribe(({ name }) => unknown.push(name));
    pass(1_000);
    for (let n = 1; n <= 5; n++) {
      say(`${n}`);
      pass(1_000);
    }
    deepStrictEqual([texts, unknown], [['1', '2', '3', '4', '5'], Array(5).fill('chat')]);
    leading.unsubscribe();
  });

  it('asks its endpoint whether a decoded answer is empty, and has malformed events for the rest', () => {
    const { config, pass, leads, say } = tabs();
    const isEmpty = ({ events }: IdentityEventList) =>
      !events.some(({ kind }) => kind === 'unknown' || kind === 'malformed');
    const follow = (response: typeof eventsWatch.response) => {
      const seen: string[] = [];
      const endpoints = { eventsWatch: { ...eventsWatch, response, isEmpty } };
      const feed = createClient({ ...config, endpoints }).events.createFeed({ share: leads, linger: 0 });
      const following = feed.all$.subscribe(({ kind }) => seen.push(kind));
      pass(1_000);
      say('a');
      pass(3_000);
      following.unsubscribe();
      return seen;
    };
    deepStrictEqual(follow(eventsWatch.response), ['unknown']);
    const refusing = new t.Type<IdentityEventList, unknown>(
      'Refusing',
      eventsWatch.response.is,
      (u, context) =>
        JSON.stringify(u).includes('chat')
          ? t.failure(u, context)
          : eventsWatch.response.validate(u, context),
      list => list,
    );
    deepStrictEqual(follow(refusing as never), ['malformed']);
  });

  it('starts from now with a gap, without resume, also after an end', () => {
    const { config, emulator, pass, leads, say } = tabs();
    const feed = createClient(config).events.createFeed({ share: leads, linger: 0, resume: false });
    const seen: string[] = [];
    feed.gap$.subscribe(({ reason }) => seen.push(reason));
    const follow = () =>
      feed.all$.subscribe({ next: ({ kind }) => seen.push(kind), error: () => seen.push('ended') });
    follow();
    pass(1_000);
    const mend = emulator.fault({ kind: 'error', status: 403 }, { times: 1_000 });
    pass(61_000);
    mend();
    say('missed');
    const again = follow();
    pass(2_000);
    say('a');
    pass(2_000);
    deepStrictEqual(seen, ['ended', 'unwatched', 'unknown']);
    again.unsubscribe();
  });

  it('has the options of a feed that is not: they get decoded answers', () => {
    const { config, pass, leads, say } = tabs();
    const acknowledged: string[] = [];
    const keys: string[] = [];
    const isChat = (event: { readonly kind: string }) => event.kind === 'chat';
    const feed = createClient({ ...config, kinds: chat }).events.createFeed({
      share: leads,
      linger: 0,
      read: ({ events }) => {
        const key = events.map(event => (event.kind === 'chat' ? event.payload.text : '')).join();
        keys.push(key);
        return { key, isEmpty: !events.some(isChat) };
      },
      indexOf: ({ events, watch }) => `${watch.index}${events.length > 99 ? '!' : ''}`,
      ack: ({ events }) => {
        for (const event of events) acknowledged.push(event.kind);
      },
    });
    const seen: string[] = [];
    const following = feed.all$.subscribe(({ kind }) => seen.push(kind));
    pass(1_000);
    say('a');
    pass(1_000);
    say(1);
    pass(5_000);
    deepStrictEqual([seen, acknowledged, keys], [['chat'], ['chat', 'malformed'], ['', 'a', '']]);
    following.unsubscribe();
  });
});
