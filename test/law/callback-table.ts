import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  asyncScheduler,
  defer,
  endWith,
  filter,
  firstValueFrom,
  map,
  NEVER,
  of,
  skip,
  tap,
  throwError,
  type Observable,
} from 'rxjs';
import {
  backoff,
  createClient,
  endpoint,
  fromFetch,
  getMembers,
  pages,
  scanState,
  watch,
  watchSignals,
  withLog,
  withToken,
  type FetchLike,
  type TokenHooks,
  type Transport,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import type { FleetConfig } from 'lobby-rx/fleet';
import { slotFiles } from 'lobby-rx/lobby-server';
import { couchChanges, type ServiceFetch } from 'lobby-rx/services';
import { ConsumerLog } from '../../src/integrations/fleet/read/consumer-log.js';
import { identitiesByShard } from '../../src/integrations/fleet/worker/identities.js';
import { IdentityPolls } from '../../src/integrations/fleet/worker/identity/identity-polls.js';
import { connectPlayer, tryConnect } from '../integrations/lobby-server/connect-player.js';
import { openGate } from '../integrations/lobby-server/gate.js';
import { waitUntil } from '../wait-until.js';

/** What became of a callback that returned something. */
export interface Outcome {
  /** Whether what waits for the callback has gone on. */
  readonly isOn: boolean;
  /** The errors that were reported. */
  readonly words: readonly string[];
}

type Returning = () => unknown;
type Run = (returned: Returning) => Promise<Outcome>;

/**
 * What becomes of what a callback returns:
 *
 * - `waits`: it is work, and is waited for.
 * - `value`: it is a value, or a promise or an Observable of one. Everything else is refused.
 * - `stream`: it is an Observable. Everything else is refused.
 * - `at once`: it is a decision. What has to be waited for is refused.
 * - `begins`: nothing waits for it, but it is begun.
 * - `request`: it is a request of a client. It has to be a promise or an Observable, which is
 *   waited for.
 */
interface Row {
  readonly kind: 'waits' | 'value' | 'stream' | 'at once' | 'begins' | 'request';
  /** The name that errors have for it. */
  readonly name?: string;
  /** The value that a callback of the kind `value` has to give. */
  readonly value?: () => unknown;
  /** An array is an answer, too. Whatever is in it is data. */
  readonly mayBeArray?: true;
  /** Calls the callback. Without it, it is tested where the comment says. */
  readonly run?: Run;
}

interface Answer {
  readonly n: number;
  readonly watch: { readonly index: string };
}

/** Runs a watch until it goes on, or reports an error. */
function watching(config: object, isOn: (polls: number) => boolean, poll?: Returning): Promise<Outcome> {
  return new Promise(resolve => {
    const words: string[] = [];
    let polls = 0;
    const end = (outcome: Outcome) => {
      resolve(outcome);
      setImmediate(() => subscription.unsubscribe());
    };
    const answering = () => {
      polls++;
      if (isOn(polls)) end({ isOn: true, words });
      return (poll?.() ?? of({ n: polls, watch: { index: String(polls) } })) as Observable<Answer>;
    };
    const options = { minInterval: 0, backoff: { initial: 60_000 }, log: () => undefined, ...config };
    const report = (error: unknown) => end({ isOn: false, words: [...words, String(error)] });
    const subscription = watchSignals<Answer>(answering, options).subscribe({
      next: signal => {
        if (signal.kind === 'status' && signal.status.error !== undefined) report(signal.status.error);
      },
      error: report,
    });
  });
}

/** A decision of a watch, which is asked at its first or second answer. */
const decides =
  (name: string, poll?: Returning): Run =>
  returned =>
    watching({ [name]: returned }, polls => polls > 5, poll);

/** A stream that goes on if it emits, and reports the error with which it ends. */
async function outcomeOf(stream$: Observable<unknown>): Promise<Outcome> {
  try {
    await firstValueFrom(stream$);
    return { isOn: true, words: [] };
  } catch (error) {
    return { isOn: false, words: [String(error), String((error as Error).cause)] };
  }
}

const request = { method: 'GET', url: 'https://api.example.com/', headers: {} } as const;
const answered = { status: 200, text: '{}', headers: { get: () => null } };
const answering: Transport = () => of(answered);

/** The token of a provider. The transport goes on once it is sent. */
const token =
  (name: 'get' | 'renew'): Run =>
  returned => {
    const refused: Transport = ({ headers }) =>
      of({ ...answered, status: JSON.stringify(headers).includes('old') ? 401 : 200 });
    const given = name === 'get' ? { get: returned, renew: returned } : { get: () => 'old', renew: returned };
    return outcomeOf(withToken(refused, given as never)(request));
  };

/** A hook of a gate that is asked while a client connects. */
const hook =
  (name: string): Run =>
  async returned => {
    const gate = await openGate({ [name]: returned });
    const result = await tryConnect(`ws://127.0.0.1:${gate.port}/?token=${gate.reserveToken()}`);
    const words = gate.log.flatMap(entry => (entry.kind === 'hook_failed' ? [entry.error] : []));
    await gate.close();
    return { isOn: result.kind === 'open', words };
  };

const freeSlot: Run = async returned => {
  const gate = await openGate({ freeSlot: () => returned() as undefined });
  const { ws } = await connectPlayer(`ws://127.0.0.1:${gate.port}/?token=${gate.reserveToken()}`);
  ws.close();
  const ends = () =>
    gate.log.filter(({ kind }) => kind === 'freed' || kind === 'hook_failed' || kind === 'retrying');
  await waitUntil(() => ends().length > 0);
  const words = ends().flatMap(entry => ('error' in entry ? [entry.error] : []));
  await gate.close();
  return { isOn: words.length === 0, words };
};

/** A client of an emulated service. */
function clientWith(config: object) {
  const emulator = createEmulator();
  const { token, identity_id } = emulator.addIdentity();
  return {
    emulator,
    identity_id,
    client: createClient({ url: emulator.url, transport: emulator.transport, token, ...config }),
  };
}

/** A `share` of a feed, which is asked when the feed begins. */
const share: Run = returned => {
  const { client } = clientWith({});
  const feed = client.events.createFeed({ share: returned as never });
  const outcome = new Promise<Outcome>(resolve => {
    feed.all$.subscribe({ error: (error: unknown) => resolve({ isOn: false, words: [String(error)] }) });
    feed.status$.subscribe(({ state }) => {
      if (state === 'live') resolve({ isOn: true, words: [] });
    });
  });
  return outcome.finally(() => client.close());
};

/** A function of an endpoint, which a watch of it asks. */
const ofEndpoint =
  (name: string): Run =>
  returned => {
    const { emulator, client, identity_id } = clientWith({ log: () => undefined });
    const group_id = emulator.addGroup();
    emulator.join(group_id, identity_id);
    const { method, service, path, query, response } = getMembers;
    const own = endpoint({ method, service, path, query, response, [name]: returned });
    const config = { ack: () => undefined };
    return new Promise<Outcome>(resolve => {
      client.watchSignals(own, { group_id }, config).subscribe({
        next: signal => {
          if (signal.kind === 'answer') resolve({ isOn: true, words: [] });
        },
        error: (error: unknown) => resolve({ isOn: false, words: [String(error)] }),
      });
    }).finally(() => client.close());
  };

const log: Run = async returned => {
  const send = withLog(
    answering,
    () => returned(),
    () => 0,
    () => 0,
  );
  await firstValueFrom(send(request));
  return { isOn: true, words: [] };
};

const withoutNews: Run = returned => {
  const { method, service, path, response } = getMembers;
  const own = endpoint({ method, service, path, response, withoutNews: returned as never });
  return outcomeOf(of(1).pipe(map(own.withoutNews as never)));
};

/** A gate with options, to which one player comes. */
const enterWith = async (config: object): Promise<Outcome> => {
  const gate = await openGate(config);
  const result = await tryConnect(`ws://127.0.0.1:${gate.port}/?token=${gate.reserveToken()}`);
  const words = gate.log.flatMap(entry => (entry.kind === 'refused' ? [String(entry.error)] : []));
  await gate.close();
  return { isOn: result.kind === 'open', words };
};

const clientOfGate: Run = connected => enterWith({ client: { matchmaker: { players: { connected } } } });

const logOfGate: Run = returned => enterWith({ log: returned });

/** What `slotFiles` has asked a client of your own, after a player has come and left. */
const clientOfSlotFiles =
  (name: string): Run =>
  async returned => {
    const folder = mkdtempSync(join(tmpdir(), 'returned-'));
    const players = { connected: () => of(undefined), disconnected: () => of(undefined), [name]: returned };
    const client = { matchmaker: { players } } as never;
    const slots = slotFiles({ client, folder, gate: 'a' });
    const player = { player_token: 'token' };
    const outcome =
      name === 'connected'
        ? await outcomeOf(slots.client.matchmaker.players.connected(player))
        : await outcomeOf(slots.freeSlot('token').pipe(endWith(undefined)));
    rmSync(folder, { recursive: true });
    return outcome;
  };

const logOfSlotFiles: Run = async returned => {
  const folder = mkdtempSync(join(tmpdir(), 'returned-'));
  const config = { client: clientWith({}).client, folder, gate: 'a' };
  const slots = slotFiles({ ...config, log: returned });
  // Another process with the name of the gate.
  slotFiles(config);
  const { isOn } = await outcomeOf(slots.client.matchmaker.players.connected({ player_token: 'token' }));
  rmSync(folder, { recursive: true });
  return { isOn: !isOn, words: [] };
};

/** A hook of `withToken` that is called because a token is refused, or there is none. */
const tokenHook =
  (token: string | null, name: string): Run =>
  async returned => {
    const refused: Transport = () => of({ ...answered, status: 401, text: '{"code":"API_TOKEN_INVALID"}' });
    const hooks: TokenHooks = { [name]: returned };
    await outcomeOf(withToken(refused, () => token, undefined, hooks)(request));
    return { isOn: true, words: [] };
  };

const failing = () => throwError(() => new Error('down'));
const ANSWER = { anchor: '', watch: { index: '1' } };
const page = () => of({ anchor: 'next' });

/** Every callback of the package, by the declaration that has it and its name. */
export const CALLBACKS: Readonly<Record<string, Row>> = {
  'WatchConfig.ack': {
    kind: 'waits',
    name: 'ack',
    run: returned => watching({ ack: returned }, polls => polls > 1),
  },
  'WatchConfig.beforePoll': {
    kind: 'waits',
    name: 'beforePoll',
    run: returned => watching({ beforePoll: returned }, polls => polls > 0),
  },
  'LobbyGateConfig.freeSlot': { kind: 'waits', name: 'freeSlot', run: freeSlot },
  // On a real NATS: `test/nats/fleet-batches.nats.ts`.
  'FleetBatchesConfig.ack': { kind: 'waits' },
  // In an application of Angular: `test/integrations/angular/`.
  'LiveFeed.on.handler': { kind: 'waits' },
  'LiveLobbyConnection.on.handler': { kind: 'waits' },
  'NotificationsConfig.open': { kind: 'waits' },

  Poll: {
    kind: 'value',
    name: 'poll',
    value: () => ANSWER,
    run: async returned => {
      let isOn = false;
      const indexOf = (answer: unknown) => {
        isOn = answer === ANSWER;
        return '1';
      };
      const outcome = await watching({ indexOf }, polls => polls > 1, returned);
      return { ...outcome, isOn };
    },
  },
  'pages.page': {
    kind: 'value',
    name: 'page',
    value: () => ANSWER,
    run: returned =>
      outcomeOf(pages(() => returned() as Observable<object>).pipe(filter(given => given === ANSWER))),
  },
  Transport: {
    kind: 'stream',
    name: 'transport',
    run: returned => {
      const transport = returned as Transport;
      return outcomeOf(clientWith({ transport }).client.events.watch());
    },
  },
  FetchLike: {
    kind: 'value',
    name: '',
    value: () => new Response('{}'),
    run: returned => outcomeOf(fromFetch({ fetch: returned as FetchLike })(request)),
  },
  Token: { kind: 'value', name: 'get', value: () => 'new', run: token('get') },
  'TokenProvider.get': { kind: 'value', name: 'get', value: () => 'new', run: token('get') },
  'TokenProvider.renew': { kind: 'value', name: 'renew', value: () => 'new', run: token('renew') },
  'FleetConfig.identitiesOf': {
    kind: 'value',
    name: 'identitiesOf',
    value: () => ['somebody'],
    run: returned => outcomeOf(identitiesByShard(() => returned() as Observable<unknown>, 1).of(0)),
  },
  ServiceFetch: {
    kind: 'value',
    name: 'fetch',
    value: () => new Response('{"results":[],"last_seq":"1"}'),
    run: returned => {
      const { poll } = couchChanges('http://localhost/db', { fetch: returned as ServiceFetch });
      const context = {
        signal: new AbortController().signal,
        needsFreshConnection: false,
        onArrival: () => undefined,
      };
      return outcomeOf(defer(() => poll(undefined, context)));
    },
  },

  WatchSharing: { kind: 'stream', name: 'share', run: share },
  'ServiceConfig.isOlder': { kind: 'at once', name: 'isOlder', run: decides('isOlder') },
  'ServiceConfig.read': { kind: 'at once', name: 'read', run: decides('read') },
  'ServiceConfig.indexOf': { kind: 'at once', name: 'indexOf', run: decides('indexOf') },
  'ServiceConfig.isGone': { kind: 'at once', name: 'isGone', run: decides('isGone', failing) },
  'ServiceConfig.recovery': { kind: 'at once', name: 'recovery', run: decides('recovery', failing) },
  'Endpoint.isEmpty': { kind: 'at once', name: 'isEmpty', run: ofEndpoint('isEmpty') },
  'Endpoint.keyOf': { kind: 'at once', name: 'keyOf', mayBeArray: true, run: ofEndpoint('keyOf') },
  'Endpoint.withoutNews': { kind: 'at once', name: 'withoutNews', mayBeArray: true, run: withoutNews },
  'endpoint.definition.isEmpty': { kind: 'at once', name: 'isEmpty', run: ofEndpoint('isEmpty') },
  'endpoint.definition.keyOf': { kind: 'at once', name: 'keyOf', mayBeArray: true, run: ofEndpoint('keyOf') },
  'endpoint.definition.withoutNews': {
    kind: 'at once',
    name: 'withoutNews',
    mayBeArray: true,
    run: withoutNews,
  },
  'PagesConfig.anchorOf': {
    kind: 'at once',
    name: 'anchorOf',
    run: returned => outcomeOf(pages(page, { anchorOf: returned as () => string }).pipe(skip(1))),
  },
  'RetryConfig.shouldRetry': {
    kind: 'at once',
    name: 'shouldRetry',
    run: returned => outcomeOf(failing().pipe(backoff({ shouldRetry: returned as () => boolean }))),
  },
  'scanState.reduce': {
    kind: 'at once',
    name: 'reduce',
    mayBeArray: true,
    run: returned => outcomeOf(of(1).pipe(scanState<unknown, unknown>(returned, 0), skip(1))),
  },
  'LobbyGateConfig.token': { kind: 'at once', name: 'token', run: hook('token') },
  'LobbyGateConfig.allowOrigin': { kind: 'at once', name: 'allowOrigin', run: hook('allowOrigin') },
  'LobbyGateConfig.allowAddress': { kind: 'at once', name: 'allowAddress', run: hook('allowAddress') },
  'LobbyGateConfig.addressOf': { kind: 'at once', name: 'addressOf', run: hook('addressOf') },
  'FaultPlan.only': {
    kind: 'at once',
    name: 'only',
    run: returned => {
      const { emulator, client } = clientWith({});
      emulator.fault({ kind: 'html' }, { only: returned as () => boolean });
      return outcomeOf(client.events.watch());
    },
  },
  'withLog.now': {
    kind: 'at once',
    name: 'now',
    run: returned => outcomeOf(withLog(answering, () => undefined, returned as () => number)(request)),
  },
  'withLog.elapsed': {
    kind: 'at once',
    name: 'elapsed',
    run: returned =>
      outcomeOf(
        withLog(
          answering,
          () => undefined,
          () => 0,
          returned as () => number,
        )(request),
      ),
  },
  IsFromService: {
    kind: 'at once',
    name: 'isFromService',
    run: returned => outcomeOf(clientWith({ isFromService: returned }).client.events.watch()),
  },
  'FleetConfig.client': {
    kind: 'at once',
    name: 'client',
    run: returned => {
      const polls = new IdentityPolls({
        client: returned as FleetConfig['client'],
        addresses: [{ name: undefined, transports: [answering] }],
        requestsPerMinute: 1_000,
        newKey: () => '',
        random: () => 0.5,
        log: { lost$: NEVER, head: () => NEVER, append: () => NEVER },
        emit: () => undefined,
        scheduler: asyncScheduler,
        monotonic: asyncScheduler,
      });
      const accepted$ = polls.watch('somebody', { of: () => undefined }).pipe(
        tap(event => {
          if (event.kind === 'rejected') throw event.error;
        }),
      );
      return outcomeOf(accepted$);
    },
  },
  'TestingConfig.random': {
    kind: 'at once',
    name: 'random',
    run: returned => watching({ testing: { random: returned } }, polls => polls > 1, failing),
  },
  'WorldConfig.random': {
    kind: 'at once',
    name: 'random',
    run: returned =>
      outcomeOf(defer(() => of(createEmulator({ random: returned as () => number }).addGroup()))),
  },
  // In a page: `test/tools/marbles/`.
  'LobbyMarbles.now': { kind: 'at once' },
  // In an application of Angular: `test/integrations/angular/returned.test.ts`.
  'injectLobbyConnection.entrance': { kind: 'at once' },
  'injectRoster.config': { kind: 'at once' },
  'injectRoster.group_id': { kind: 'at once' },
  'PauseConfig.isPaused': { kind: 'at once' },
  'provideLobbyClient.config': { kind: 'at once' },
  'withOneFeedForAllTabs.name': { kind: 'at once' },

  'withLog.log': { kind: 'begins', name: 'log', run: log },
  'ClientConfig.log': {
    kind: 'begins',
    run: returned => outcomeOf(clientWith({ log: returned }).client.events.watch()),
  },
  'WatchConfig.log': {
    kind: 'begins',
    run: returned => outcomeOf(watch(() => of(ANSWER), { log: returned })),
  },
  'LobbyGateConfig.log': { kind: 'begins', run: logOfGate },
  'SlotFilesConfig.log': { kind: 'begins', run: logOfSlotFiles },
  'FleetBatchesConfig.log': {
    kind: 'begins',
    run: returned => {
      new ConsumerLog(returned).retrying(new Error('down'));
      return Promise.resolve({ isOn: true, words: [] });
    },
  },
  'TokenHooks.onRefused': { kind: 'begins', run: tokenHook('old', 'onRefused') },
  'TokenHooks.onUnsent': { kind: 'begins', run: tokenHook(null, 'onUnsent') },
};

/** The requests of clients that people may write themselves. */
export const CLIENTS: Readonly<Record<string, Row>> = {
  'the client of a gate': { kind: 'request', name: 'connected', run: clientOfGate },
  'the client of slotFiles': { kind: 'request', name: 'connected', run: clientOfSlotFiles('connected') },
  'the client of slotFiles that frees': {
    kind: 'request',
    name: 'disconnected',
    run: clientOfSlotFiles('disconnected'),
  },
};

/** The functions of this library that people call. */
export const OURS: readonly RegExp[] = [
  /^(Codec|Endpoint)\._/,
  /^(Control|Emulator|EmulatorServer|NamedWatch)\./,
  /^LobbyMarbles\.(event|log|watch)$/,
  /^(PollContext|TransportRequest)\.on/,
  /^is\w+Error$/,
  /^\w+Metrics$/,
  /^(Handler|ResumableWatch|SlotFiles\.freeSlot)$/,
];
