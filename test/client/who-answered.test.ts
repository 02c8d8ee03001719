import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { map, of, type Observable } from 'rxjs';
import {
  createClient,
  isStatusError,
  whyNotConnected,
  type LogEntry,
  type Transport,
  type TransportResponse,
  type WatchStatus,
} from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { slotOutcome } from '../../src/integrations/lobby-server/slots/slot-outcome.js';
import { virtualTime } from '../virtual-time.js';

/** An answer of something in front of the service. */
interface Form {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A part of what a reader is told. */
  readonly reason: RegExp;
  /** Nothing tells such an answer from the service's, as long as no ray id has come. */
  readonly isLikeService?: true;
}

const FORMS: Readonly<Record<string, Form>> = {
  'a challenge without a body': { status: 202, text: '', headers: { server: 'awselb' }, reason: /awselb/ },
  'a maintenance notice': {
    status: 200,
    text: '{"code":"MAINTENANCE","message":"Back at noon"}',
    reason: /Back at noon/,
  },
  'a page of maintenance with an OK': {
    status: 200,
    text: '<html><head><title>Back at noon</title>',
    reason: /Back at noon/,
  },
  'an error inside of an OK': { status: 200, text: '{"code":401,"msg":"expired"}', reason: /expired/ },
  'an empty OK': {
    status: 200,
    text: '',
    headers: { server: 'Caddy' },
    reason: /Caddy/,
    isLikeService: true,
  },
  'a 204': { status: 204, text: '', headers: { server: 'nginx' }, reason: /nginx/, isLikeService: true },
  'a refusal with a lower-case code': {
    status: 401,
    text: '{"code":"unauthenticated","message":"no such key"}',
    reason: /no such key/,
  },
  'a refusal with a code like the service’s': {
    status: 401,
    text: '{"code":"UNAUTHORIZED_KEY","message":"no such key"}',
    reason: /no such key/,
    isLikeService: true,
  },
  'a ban with a ray id of its own': {
    status: 403,
    text: '{"error_code":1020,"ray_id":"8f00ba4","title":"Access denied"}',
    reason: /Access denied/,
  },
  'a route that is missing': {
    status: 404,
    text: '{"code":"route_not_found","type":"about:blank"}',
    headers: { 'retry-after': '3600' },
    reason: /route_not_found/,
  },
  'a refusal that a cache has stored': {
    status: 401,
    text: '{"code":"CLAIMS_MISSING_ENTITLEMENT","message":"No token"}',
    headers: { 'rvt-ray-id': 'r-1', age: '30' },
    reason: /No token/,
    isLikeService: true,
  },
  'an OK that a cache has stored': {
    status: 200,
    text: '{}',
    headers: { 'rvt-ray-id': 'r-1', age: '30', server: 'ATS' },
    reason: /ATS/,
    isLikeService: true,
  },
  'a challenge of a login': {
    status: 401,
    text: '{"error":"invalid_token","error_description":"expired"}',
    headers: { 'www-authenticate': 'Bearer' },
    reason: /invalid_token/,
  },
  'a plugin of a site': {
    status: 401,
    text: '{"code":"rest_not_logged_in","message":"Not logged in","data":{"status":401}}',
    reason: /Not logged in/,
  },
  'a token of another API': {
    status: 401,
    text: '{"detail":"Given token not valid","code":"token_not_valid"}',
    reason: /Given token not valid/,
  },
  'a function without a token': {
    status: 401,
    text: '{"code":"UNAUTHORIZED_NO_AUTH_HEADER","message":"Missing authorization header"}',
    reason: /Missing authorization/,
    isLikeService: true,
  },
  'a procedure that is missing': {
    status: 404,
    text: '{"code":"bad_route","msg":"no handler for path"}',
    reason: /no handler for path/,
  },
  'a problem with a code': {
    status: 404,
    text: '{"type":"about:blank","title":"Not Found","status":404,"code":"NOT_FOUND"}',
    reason: /Not Found/,
    isLikeService: true,
  },
  'a gateway that times out': {
    status: 504,
    text: '{"statusCode":504,"code":"FST_REPLY_FROM_GATEWAY_TIMEOUT","error":"Gateway Timeout"}',
    reason: /Gateway Timeout/,
    isLikeService: true,
  },
  'a function that does not start': {
    status: 503,
    text: '{"code":"BOOT_ERROR","message":"Function failed to start"}',
    reason: /failed to start/,
    isLikeService: true,
  },
  'a firewall': {
    status: 403,
    text: '<html><head><title>Request blocked</title>',
    headers: { server: 'awselb/2.0' },
    reason: /Request blocked/,
  },
  'an error of a query': {
    status: 200,
    text: '{"errors":[{"message":"field not found"}]}',
    reason: /field not found/,
  },
  'a network that wants a login': {
    status: 511,
    text: '<html><head><title>Sign in to this network</title>',
    reason: /Sign in to this network/,
  },
  'a page that has gone': { status: 410, text: 'gone', reason: /410 gone/ },
  'a page of maintenance': {
    status: 503,
    text: '<html><head><title>Down for an hour</title>',
    headers: { 'retry-after': '3600' },
    reason: /Down for an hour/,
  },
};

/** A player with a feed, and a lobby, whose service is replaced by a form for a while. */
function game(isLearnt: boolean) {
  const { scheduler, pass } = virtualTime();
  const emulator = createEmulator({ scheduler, blockTime: 10_000 });
  const identity = emulator.addIdentity();
  const lobby = emulator.addLobby({ maxPlayers: 4 });
  const state: { form: Form | undefined; hidesRayIds: boolean } = {
    form: undefined,
    hidesRayIds: !isLearnt,
  };
  const seen = { joins: 0, ended: 0, signedOut: 0, foreign: 0 };
  const transport: Transport = request => {
    const { form } = state;
    if (form) return of({ status: form.status, headers: new Headers(form.headers), text: form.text });
    const withoutRayId = ({ status, text, headers }: TransportResponse) => ({
      status,
      text,
      headers: { get: (name: string) => (name === 'rvt-ray-id' ? null : headers.get(name)) },
    });
    return emulator
      .transport(request)
      .pipe(map(answer => (state.hidesRayIds ? withoutRayId(answer) : answer)));
  };
  const clientOf = (token: string) => {
    const log = ({ kind }: LogEntry) => {
      if (kind === 'foreign') seen.foreign++;
    };
    const provider = { get: () => token, renew: () => token };
    const client = createClient({ url: emulator.url, transport, scheduler, token: provider, log });
    client.unauthorized$.subscribe(() => seen.signedOut++);
    return client;
  };
  const { feed } = clientOf(identity.token).events;
  const statuses: WatchStatus[] = [];
  feed.status$.subscribe(status => statuses.push(status));
  feed.lobbyJoin$.subscribe({ next: () => seen.joins++, error: () => seen.ended++ });
  const { players } = clientOf(lobby.token).matchmaker;
  const outcome = (sent$: Observable<void>) => {
    let result: unknown = 'nothing';
    const settle = (end: unknown) => {
      result = end;
    };
    sent$.subscribe({ next: () => settle('OK'), error: settle });
    pass(20_000);
    return result;
  };
  return { pass, emulator, identity, lobby, state, seen, feed, statuses, players, outcome };
}

describe('what is not the service’s', () => {
  for (const isLearnt of [true, false]) {
    for (const [name, form] of Object.entries(FORMS)) {
      if (!isLearnt && form.isLikeService) continue;
      const when = isLearnt ? 'once a ray id has come' : 'with a service without ray ids';
      it(`lets nobody in, frees no slot, ends no feed, signs nobody out, ${when}: ${name}`, () => {
        const { pass, emulator, identity, lobby, state, seen, players, outcome } = game(isLearnt);
        const player_token = emulator.reservePlayer(lobby.lobby_id);
        strictEqual(outcome(players.connected({ player_token })), 'OK');
        strictEqual(players.isServiceKnown, isLearnt);

        state.form = form;
        const refused = outcome(players.connected({ player_token: 'nobody has issued this' }));
        const kept = outcome(players.disconnected({ player_token }));
        pass(4_000);
        deepStrictEqual(
          [whyNotConnected(refused).outcome, slotOutcome(kept), seen.signedOut, seen.ended],
          ['unknown', 'retry', 0, 0],
        );
        for (const error of [refused, kept]) match((error as Error).message, form.reason);
        ok(seen.foreign > 0);

        state.form = undefined;
        pass(75_000);
        emulator.sendLobbyJoin(identity.identity_id, lobby.lobby_id);
        pass(15_000);
        deepStrictEqual([seen.joins, seen.ended], [1, 0]);
        strictEqual(emulator.playersIn(lobby.lobby_id).connected, 1);
        strictEqual(outcome(players.disconnected({ player_token })), 'OK');
      });
    }
  }

  describe('when the ray ids of the service vanish', () => {
    const vanish = () => {
      const played = game(true);
      const { pass, state } = played;
      const hints = new Set<string | undefined>();
      played.feed.status$.subscribe(({ hint }) => hints.add(hint));
      pass(15_000);
      deepStrictEqual([...hints], [undefined]);
      state.hidesRayIds = true;
      return { ...played, hints };
    };
    const HINT = /the answers have no new rvt-ray-id: does a proxy answer/;

    it('feeds go on, and the status and the log say so', () => {
      const { pass, emulator, identity, lobby, seen, hints, statuses } = vanish();
      emulator.sendLobbyJoin(identity.identity_id, lobby.lobby_id);
      pass(15_000);
      deepStrictEqual([seen.joins, seen.ended, statuses.at(-1)?.state], [1, 0, 'live']);
      match(statuses.at(-1)!.hint!, HINT);
      strictEqual(hints.size, 2);
      ok(seen.foreign > 0);
    });

    it('the status says so, too, of an error that no longer ends a feed', () => {
      const { pass, state, seen, statuses } = vanish();
      state.form = { status: 403, text: '{"code":"GROUP_NOT_MEMBER"}', reason: /./ };
      pass(15_000);
      deepStrictEqual([seen.ended, statuses.at(-1)?.state], [0, 'retrying']);
      match(statuses.at(-1)!.hint!, HINT);
    });

    it('a confirmation is unknown', () => {
      const { emulator, lobby, players, outcome, state } = game(true);
      strictEqual(outcome(players.connected({ player_token: emulator.reservePlayer(lobby.lobby_id) })), 'OK');
      state.hidesRayIds = true;
      const player_token = emulator.reservePlayer(lobby.lobby_id);
      deepStrictEqual(whyNotConnected(outcome(players.connected({ player_token }))), { outcome: 'unknown' });
    });
  });

  it('says nothing of ray ids at a service that never had any', () => {
    const { pass, state, statuses } = game(false);
    pass(15_000);
    state.form = FORMS['a route that is missing'];
    pass(15_000);
    deepStrictEqual([statuses.at(-1)?.state, statuses.at(-1)?.hint], ['retrying', undefined]);
  });

  it('asks for a minute of patience at most, unless it limits the rate', () => {
    const { state, players, outcome } = game(true);
    const waits = [503, 404, 429].map(status => {
      state.form = { status, text: '', headers: { 'retry-after': '3600' }, reason: /./ };
      const error = outcome(players.connected({ player_token: 'p-token' }));
      return isStatusError(error) && error.retryAfter;
    });
    deepStrictEqual(waits, [60_000, 60_000, 3_600_000]);
  });

  it('shows neither the player’s token nor the bearer that an OK quotes', () => {
    const { lobby, state, players, outcome } = game(true);
    const text = JSON.stringify({ message: `p-s3cret and ${lobby.token}` });
    state.form = { status: 200, text, headers: { server: 'p-s3cret' }, reason: /./ };
    const error = outcome(players.connected({ player_token: 'p-s3cret' }));
    ok(isStatusError(error));
    match(error.message, /is the URL right\? \[secret\] and \[secret\]/);
    strictEqual(JSON.stringify(error).includes('s3cret'), false);
    strictEqual(JSON.stringify(error).includes(lobby.token), false);
  });
});
