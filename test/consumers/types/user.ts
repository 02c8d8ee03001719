import { createServer } from 'node:http';
import { firstValueFrom, map, toArray } from 'rxjs';
import {
  createClient,
  either,
  endpoint,
  scanState,
  getMembers,
  integer,
  jsonObject,
  nonEmptyString,
  struct,
} from 'lobby-rx';
import { Acknowledged, cursorArgument, identityEventList, Profile, WatchData } from 'lobby-rx/codecs';
import { createEmulator, listen } from 'lobby-rx/emulator';
import { lobbyGate, players } from 'lobby-rx/lobby-server';
import { fromHttp } from 'lobby-rx/node';

// All that is exported here gets its type by inference, so that a declaration of it has to name
// what lobby-rx declares.
export const Rename = struct('Rename', { display_name: nonEmptyString }, { times: integer });
export const Only = struct('Only', { display_name: nonEmptyString });
export const Nested = struct('Nested', { rename: Rename, profile: Profile }, { rest: jsonObject });
export const events = identityEventList({ rename: Rename });
export const rename = endpoint({
  method: 'POST',
  service: 'group',
  path: '/v1/groups/{group_id}/name',
  body: Rename,
  response: Acknowledged,
});
export const getNews = endpoint({
  method: 'GET',
  service: 'api',
  path: '/v1/news',
  query: struct('GetNews', {}, { watch_index: cursorArgument }),
  response: struct('News', { text: nonEmptyString, watch: WatchData }),
});
export const { response, query } = getNews;
export const { required } = Rename;
export const structOf = <Given extends typeof required>(given: Given) => struct('Given', given);

export const emulator = createEmulator();
export const ada = emulator.addIdentity({ display_name: 'Ada' });
export const group_id = emulator.addGroup();
emulator.join(group_id, ada.identity_id);

export const client = createClient({
  url: emulator.url,
  transport: emulator.transport,
  token: ada.token,
  kinds: { rename: Rename },
});
export const { feed } = client.events;
export const { group } = client;
export const members$ = group.members(group_id);
export const roster$ = group.roster(group_id);
export const signal$ = client.watchSignals(getMembers, { group_id });
export const rename$ = feed.on('rename');
export const count$ = feed.lobbyJoin$.pipe(scanState(count => count + 1, 0));
export const page$ = client.group.getMembers({ group_id }).pipe(either());
export const renamed$ = client.request(rename, { group_id, display_name: 'The Analytical Engine' });
export const news$ = client.watch(getNews, {});
export const serve = () => listen(emulator);
export const overHttp = fromHttp({ agentOptions: { localAddress: '127.0.0.1' } });
export const gate = () => lobbyGate({ server: createServer(), client }).pipe(players());

const names$ = members$.pipe(
  map(({ identity }) => identity.display_name),
  toArray(),
);
void firstValueFrom(names$).then(names => console.log(`members: ${names.join()}`));

// @ts-expect-error: there is no such kind
export const misspelt = () => feed.on('identity_updated');
// @ts-expect-error: the display_name is missing
client.request(rename, { group_id });
