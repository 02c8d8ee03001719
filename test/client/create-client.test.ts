import { deepStrictEqual, doesNotThrow, ok, throws } from 'node:assert';
import { NEVER } from 'rxjs';
import {
  backoff,
  createClient,
  eventFeed,
  fromFetch,
  getMembers,
  integer,
  isInputError,
  pages,
  watch,
  withToken,
  type Client,
  type ClientConfig,
  type Transport,
} from 'lobby-rx';

const urls = {
  groupUrl: 'https://g.example',
  matchmakerUrl: 'https://m.example',
  apiUrl: 'https://a.example',
};

describe('createClient', () => {
  const refuses = (change: Partial<Record<keyof ClientConfig, unknown>>, message: RegExp) => {
    throws(
      () => createClient({ ...urls, token: 't', ...change } as ClientConfig),
      (error: unknown) => {
        ok(isInputError(error), String(error));
        return message.test(error.message);
      },
      String(message),
    );
  };

  it('refuses an invalid URL, at once', () => {
    refuses({ url: 7 }, /^url must be an absolute URL, like .*; got 7$/);
    refuses(
      { groupUrl: undefined, matchmakerUrl: undefined, apiUrl: undefined },
      /^url must be the service's base URL; or give groupUrl, matchmakerUrl, apiUrl; got nothing$/,
    );
    refuses({ groupUrl: '' }, /^groupUrl must be an absolute URL/);
    refuses({ matchmakerUrl: 'm.example/x' }, /^matchmakerUrl must be an absolute URL/);
    refuses(
      { apiUrl: 'ftp://a.example' },
      /^apiUrl must be an http: or https: URL; got a string of 15 characters$/,
    );
    refuses({ apiUrl: 'https://a.example?x=1' }, /got one with a query$/);
    refuses(
      { apiUrl: 'https://user:s3cret@a.example' },
      /an origin and a path, and nothing else; got one with a user$/,
    );
  });

  it('refuses plain http: to any other machine, unless `insecure` is set', () => {
    refuses({ groupUrl: 'http://g.example' }, /^groupUrl must be an https: URL, .*insecure: true/);
    refuses({ groupUrl: 'http://127.0.0.1.example' }, /https: URL/);
    refuses({ groupUrl: 'http://localhost.example' }, /https: URL/);
    for (const groupUrl of ['http://localhost:80', 'http://127.0.0.1:1/x', 'http://[::1]:1']) {
      doesNotThrow(() => createClient({ ...urls, groupUrl, token: 't' }));
    }
    doesNotThrow(() => createClient({ ...urls, groupUrl: 'http://g.example', token: 't', insecure: true }));
  });

  it('refuses a token that is not valid in a header, and does not show it', () => {
    refuses(
      { token: '' },
      /^token must be a bearer token, a function, \{ get, renew \}, or false; got an empty string$/,
    );
    refuses({ token: undefined }, /got undefined$/);
    refuses({ token: 's3cret\n' }, /^(?!.*s3cret).*line breaks/);
    refuses({ token: 'se cret' }, /^(?!.*se cret).*spaces/);
    refuses({ token: 'Bearer s3cret' }, /begins with 'Bearer', which is added to it$/);
  });

  it('refuses invalid numbers', () => {
    refuses({ timeout: -1 }, /^timeout must be a number of milliseconds/);
    refuses({ watch: { linger: NaN } }, /^watch\.linger must be/);
    refuses({ watch: { timeout: Infinity } }, /^watch\.timeout must be/);
    refuses({ watch: { quota: 0 } }, /^watch\.quota must be a positive integer, or Infinity; got 0$/);
    refuses({ watch: { backoff: { max: -1 } } }, /^watch\.backoff\.max must be/);
  });

  it('refuses unknown options, at every level', () => {
    refuses(
      { groupURL: 'https://g.example' } as object,
      /^unknown option `groupURL`; did you mean `groupUrl`\? Options: url, groupUrl, /,
    );
    refuses({ watch: { deadlin: 1 } }, /^unknown option `watch\.deadlin`\. Options: wake\$, timeout, /);
    refuses(
      { watch: { backoff: { maximum: 1 } } },
      /^unknown option `watch\.backoff\.maximum`\. Options: initial, max$/,
    );
    refuses(
      { endpoints: { getMember: getMembers } },
      /^unknown endpoint `endpoints\.getMember`; did you mean `getMembers`\? Endpoints: getMembers, /,
    );
    const { group, events } = createClient({ ...urls, token: 't' });
    const typo = { cuont: 1 } as object;
    const refused = (call: () => unknown) => throws(call, /^InputError: unknown option `cuont`/);
    const none = { count: -1 };
    for (const name of ['memberPages', 'members', 'watchMembers', 'roster'] as const)
      throws(() => group[name]('g', none), /^InputError: count must be a positive integer; got -1$/);
    refused(() => group.memberPages('g', typo));
    refused(() => group.members('g', typo));
    refused(() => group.watchMembers('g', typo));
    refused(() => group.roster('g', typo));
    refused(() => events.batches(typo));
    refused(() => events.createFeed(typo));
    throws(() => events.createFeed(typo), /Options: .*linger, resume/);
    throws(() => events.createFeed(null as never), /^InputError: config must be an object; got null$/);
    refused(() => watch(() => [], typo));
    refused(() => pages(() => [], typo));
    refused(() => backoff(typo));
    refused(() => eventFeed([], typo));
    refused(() => fromFetch(typo));
    throws(
      () => withToken(fromFetch(), 't', typo as never),
      /^InputError: scheduler must be an RxJS scheduler/,
    );
  });

  it('treats an undefined option as missing', () => {
    const options = { watch: undefined, testing: undefined, kinds: undefined };
    const endpoints = { getMembers: undefined, playersConnected: undefined, eventsWatch: undefined };
    const sent: string[] = [];
    const transport: Transport = ({ method }) => {
      sent.push(method);
      return NEVER;
    };
    const config = { ...urls, token: 't', transport, ...options, endpoints };
    const { group, matchmaker, events } = createClient(config as never) as Client;
    group.getMembers({ group_id: 'g' }).subscribe().unsubscribe();
    matchmaker.players.connected({ player_token: 'p' }).subscribe().unsubscribe();
    events.watch().subscribe().unsubscribe();
    deepStrictEqual(sent, ['GET', 'POST', 'GET']);
  });

  it('refuses options of the wrong type', () => {
    for (const config of [undefined, null, 'https://g.example']) {
      throws(() => createClient(config as never), /^InputError: config must be an object; got /);
    }
    refuses({ log: 'console' }, /^log must be a function; got a string of 7 characters$/);
    refuses({ testing: { random: 4 } }, /^testing\.random must be a function; got 4$/);
    refuses({ scheduler: {} }, /^scheduler must be an RxJS scheduler; got an object$/);
    refuses({ transport: {} }, /^transport must be a function like the one that fromFetch/);
    refuses({ insecure: 'yes' }, /^insecure must be true or false; got a string/);
    refuses({ watch: 5 }, /^watch must be an object; got 5$/);
    refuses(
      { watch: { wake$: 5 } },
      /^watch\.wake\$ must be an Observable, a promise or an iterable; got 5$/,
    );
    refuses({ endpoints: { getMembers: {} } }, /^endpoints\.getMembers\.method must be one of GET, POST/);
    refuses({ kinds: { chat_message: {} } }, /^kinds\.chat_message must be a codec/);
    // A schema of another library.
    const schema = { decode: () => ({ success: true, data: {} }), parse: () => ({}) };
    refuses(
      { kinds: { chat_message: schema } },
      /^kinds\.chat_message must be a codec created by struct\(\) or io-ts; got an object/,
    );
    refuses(
      { kinds: { chat_message: null } },
      /^kinds\.chat_message must be a codec created by struct\(\) or io-ts; got null$/,
    );
    refuses({ kinds: { unknown: integer } }, /^kinds must be names that are not built in/);
  });
});
