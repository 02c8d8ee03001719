import { deepStrictEqual, strictEqual } from 'node:assert';
import ts from 'typescript';
import { languageService } from './compile.js';

const IMPORTS = `import * as t from 'io-ts';
import { createClient, endpoint, eventsWatch, getMembers, integer, playersConnected, struct, watch } from 'lobby-rx';
import { WatchData } from 'lobby-rx/codecs';
import type { Client, Codec } from 'lobby-rx';
import { of } from 'rxjs';
declare const client: Client;
`;

/**
 * Mistakes that a user may make, and the first line of the compiler error, as far as the types
 * determine it.
 */
const MISTAKES: readonly (readonly [what: string, code: string, says: string])[] = [
  [
    'a member list without its group',
    `client.group.getMembers({ count: 1 });`,
    `Argument of type '{ count: number; }' is not assignable to parameter of type 'GetMembersInput'.`,
  ],
  [
    'a misspelt argument',
    `client.group.getMembers({ group_id: 'g', coutn: 1 });`,
    `Object literal may only specify known properties, but 'coutn' does not exist in type 'GetMembersInput'. Did you mean to write 'count'?`,
  ],
  [
    'an event kind that does not exist',
    `client.events.feed.on('identity_updated');`,
    `Argument of type '"identity_updated"' is not assignable to parameter of type '"identity_update" | "matchmaker_lobby_join" | "unknown" | "malformed"'.`,
  ],
  [
    'an event kind that does not exist, of a client whose own kinds the type does not tell',
    `declare const some: ReturnType<typeof createClient>;
some.events.feed.on('typo');`,
    `Argument of type '"typo"' is not assignable to parameter of type '"identity_update" | "matchmaker_lobby_join" | "unknown" | "malformed"'.`,
  ],
  ...['identity_update', 'matchmaker_lobby_join', 'unknown', 'malformed'].map(
    kind =>
      [
        `a codec of your own for ${kind}`,
        `createClient({ url: 'https://a.example', token: 't', kinds: { chat_message: t.string, ${kind}: t.string } });`,
        `Type 'StringC' is not assignable to type '"${kind} is a kind of this library: choose another name"'.`,
      ] as const,
  ),
  [
    'watching a POST',
    `client.watch(playersConnected, { player_token: 'p' });`,
    `Argument of type 'Endpoint<PlayerTokenInput, void, "POST">' is not assignable to parameter of type 'Endpoint<PlayerTokenInput, void, "POST"> & "a POST cannot be watched"'`,
  ],
  [
    'watching an endpoint without an index',
    `const plain = endpoint({ method: 'GET', service: 'api', path: '/x', response: struct('X', { watch: WatchData }) });
client.watch(plain, {});`,
    `Argument of type 'Endpoint<{}, { readonly watch: WatchData; }, "GET">' is not assignable to parameter of type 'Endpoint<{}, { readonly watch: WatchData; }, "GET"> & "this endpoint cannot be watched: it takes no watch_index"'`,
  ],
  [
    'watching answers without an index',
    `watch(() => Promise.resolve({ n: 1 }));`,
    "Argument of type '() => Promise<{ n: number; }>' is not assignable to parameter of type 'Poll<Indexed> | (PolledService<never> & WatchConfig<never>)'.",
  ],
  [
    'paging through an endpoint without anchors',
    `client.pages(eventsWatch, {});`,
    `Argument of type 'Endpoint<EventsWatchInput, IdentityEventList<NoOwnEvents>, "GET">' is not assignable to parameter of type 'Endpoint<EventsWatchInput, IdentityEventList<NoOwnEvents>, HttpMethod> & "this endpoint has no pages: it takes no anchor"'`,
  ],
  [
    'a client without a token',
    `createClient({ url: 'https://a.example' });`,
    `Argument of type '{ url: string; }' is not assignable to parameter of type 'ClientConfig<NoOwnEvents>'.`,
  ],
  [
    'a misspelt option',
    `createClient({ groupURL: 'https://a.example', token: 't' });`,
    `Object literal may only specify known properties, but 'groupURL' does not exist in type 'ClientConfig<NoOwnEvents>'. Did you mean to write 'groupUrl'?`,
  ],
  [
    'a missing path parameter',
    `const team = endpoint({ method: 'GET', service: 'api', path: '/teams/{team_id}', response: struct('X', { n: integer }) });
client.request(team, {});`,
    `Argument of type '{}' is not assignable to parameter of type '{ readonly team_id: string; }'.`,
  ],
  [
    'a field that a profile does not have',
    `client.events.feed.identityUpdate$.subscribe(({ identity }) => identity.displayname);`,
    `Property 'displayname' does not exist on type 'Profile'. Did you mean 'display_name'?`,
  ],
  [
    'a port that may be missing',
    `client.events.feed.lobbyJoin$.subscribe(join => join.ports.game.hostname);`,
    `'join.ports.game' is possibly 'undefined'.`,
  ],
  [
    'a codec that forgets a field of its interface',
    `interface Chat { readonly text: string; readonly thread_id?: string | null | undefined }
export const Chat: Codec<Chat> = struct('Chat', { text: t.string });`,
    `Type 'Struct<{ readonly text: string; }>' is not assignable to type 'Codec<Chat>'`,
  ],
  [
    'a field that a custom event does not have',
    `const own = createClient({ url: 'https://a.example', token: 't', kinds: { chat_message: struct('Chat', { text: t.string }) } });
own.events.feed.on('chat_message').subscribe(({ payload }) => payload.txt);`,
    `Property 'txt' does not exist on type '{ readonly text: string; }'. Did you mean 'text'?`,
  ],
  [
    'an option that a watch does not have',
    `watch(index => client.group.getMembers({ group_id: 'g', watch_index: index }), { intervall: 1 });`,
    'No overload matches this call.',
  ],
  [
    'a misspelt decision of an ack',
    `client.events.batches({ ack: () => of({ watch: 'ended' }) });`,
    `Type '() => Observable<{ watch: "ended"; }>' is not assignable to type '(answer: IdentityEventList<NoOwnEvents>, checkpoint: Checkpoint, gap?: Gap | undefined) => AckResult'.`,
  ],
  [
    'a decision of an ack that does not say where to resume',
    `client.events.batches({ ack: () => of({ watch: 'resume' as const }) });`,
    `Type '() => Observable<{ watch: "resume"; }>' is not assignable to type '(answer: IdentityEventList<NoOwnEvents>, checkpoint: Checkpoint, gap?: Gap | undefined) => AckResult'.`,
  ],
];

/** What an editor shows for the name before the comment. */
const HOVERS: readonly [code: string, shows: string][] = [
  [
    `client.events.feed.identityUpdate$/**/;`,
    '(property) EventFeed<NoOwnEvents>.identityUpdate$: Observable<IdentityUpdateEvent>',
  ],
  [
    `client.events.feed.lobbyJoin$/**/;`,
    '(property) EventFeed<NoOwnEvents>.lobbyJoin$: Observable<LobbyJoinEvent>',
  ],
  [
    `client.group.getMembers/**/({ group_id: 'g' });`,
    '(method) GroupApi.getMembers(input: GetMembersInput): Observable<GroupMemberList>',
  ],
  [`getMembers/**/;`, '(alias) const getMembers: Endpoint<GetMembersInput, GroupMemberList, "GET">'],
  [
    `client.request/**/(getMembers, { group_id: 'g' });`,
    '(method) Client<NoOwnEvents>.request<GetMembersInput, GroupMemberList>(endpoint: Endpoint<GetMembersInput, GroupMemberList, HttpMethod>, input: NoInfer<GetMembersInput>, config?: RequestConfig): Observable<GroupMemberList>',
  ],
  [
    `client.watch/**/(getMembers, { group_id: 'g' });`,
    '(method) Client<NoOwnEvents>.watch<GetMembersInput, GroupMemberList, "GET">(endpoint: Endpoint<GetMembersInput, GroupMemberList, "GET">, input: Omit<GetMembersInput, "watch_index">, config?: WatchConfig<NoInfer<GroupMemberList>> | undefined): Observable<GroupMemberList>',
  ],
  [`const made = createClient({ url: '', token: '' }); made/**/;`, 'const made: Client<{}>'],
  [`declare const some: ReturnType<typeof createClient>; some/**/;`, 'const some: Client<{}>'],
];

describe('the types, as a user sees them', () => {
  const texts = [...MISTAKES, ...HOVERS.map(([code]) => ['', code] as const)].map(
    ([, code]) => `${IMPORTS}${code}\nexport {};`,
  );
  const { service, path } = languageService(texts);

  for (const [i, [what, , says]] of MISTAKES.entries()) {
    it(`say what is wrong with ${what}`, () => {
      const messages = service
        .getSemanticDiagnostics(path(i))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n').split('\n')[0]!)
        // Advice about a compiler option, which the types do not determine.
        .map(line => line.replace(/ with 'exactOptionalPropertyTypes: true'\. Consider.*$/, ''));
      deepStrictEqual(messages, [says]);
    });
  }

  for (const [i, [code, shows]] of HOVERS.entries()) {
    it(`show names without their internals: ${code.replace('/**/', '')}`, () => {
      const file = path(MISTAKES.length + i);
      const at = texts[MISTAKES.length + i]!.indexOf('/**/') - 1;
      const { displayParts } = service.getQuickInfoAtPosition(file, at) ?? {};
      strictEqual(ts.displayPartsToString(displayParts).split('\nimport ')[0], shows);
    });
  }
});
