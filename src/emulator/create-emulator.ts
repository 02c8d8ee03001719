import { addGroup } from './add-group.js';
import { addIdentity } from './add-identity.js';
import { addLobby } from './add-lobby.js';
import { befriend } from './befriend.js';
import { emulatedTransport } from './emulated-transport.js';
import type { EmulatorConfig } from './emulator-config.js';
import type { Emulator } from './emulator.js';
import { createFaultInjector } from './fault-injector.js';
import { expireToken } from './expire-token.js';
import { join } from './join.js';
import { leave } from './leave.js';
import { playerState } from './player-state.js';
import { playersIn } from './players-in.js';
import { publish } from './publish.js';
import { recordRequests } from './record-requests.js';
import type { RecordedRequest } from './recorded-request.js';
import { renewToken } from './renew-token.js';
import { reservePlayer } from './reserve-player.js';
import { respond } from './respond.js';
import { saveWorld } from './save-world.js';
import { sendLobbyJoin } from './send-lobby-join.js';
import { serviceUrls } from './service-urls.js';
import { updatePresence } from './update-presence.js';
import { updateProfile } from './update-profile.js';
import { createWorld } from './world.js';

/**
 * Makes an emulator of the service, for demos and for the tests of whoever uses this library. It opens no port:
 * `listen` does, and `transport` needs none.
 *
 * @example
 * const emulator = createEmulator();
 * const { identity_id, token } = emulator.addIdentity({ display_name: 'Ada' });
 * const client = createClient({ ...emulator.urls, transport: emulator.transport, token });
 * client.events.feed.all$.subscribe(event => console.log(event.kind));
 * emulator.updateProfile(identity_id, { bio: 'Hello.' });
 */
export function createEmulator(config: EmulatorConfig = {}): Emulator {
  const world = createWorld(config);
  const requests: RecordedRequest[] = [];
  const injector = createFaultInjector(request => respond(request, world), world);
  const handle = recordRequests(injector.handle, world.now, requests);
  return {
    handle,
    transport: emulatedTransport(handle, world.config.scheduler),
    save: () => saveWorld(world),
    fault: injector.fault,
    befallen: injector.befallen,
    urls: serviceUrls('http://localhost'),
    requests,
    addIdentity: addIdentity(world),
    befriend: befriend(world),
    updateProfile: updateProfile(world),
    updatePresence: updatePresence(world),
    publish: publish(world),
    addGroup: addGroup(world),
    join: join(world),
    leave: leave(world),
    addLobby: addLobby(world),
    reservePlayer: reservePlayer(world),
    sendLobbyJoin: sendLobbyJoin(world),
    playerState: token => {
      const player = world.players.get(token);
      return player && playerState(player, world);
    },
    playersIn: lobby_id => playersIn(lobby_id, world),
    expireToken: expireToken(world),
    renewToken: renewToken(world),
  };
}
