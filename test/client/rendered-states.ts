// Subscribes to states of two clients where there is no page. `renders` is their option.
import { createClient } from 'lobby-rx';
import { createEmulator } from 'lobby-rx/emulator';
import { feedState, rosterState } from 'lobby-rx/views';

const renders = ({ true: true, false: false } as Record<string, boolean>)[process.argv[2]!];
const emulator = createEmulator();
const { token } = emulator.addIdentity();
const { url, transport } = emulator;
for (const group_id of [emulator.addGroup(), emulator.addGroup()]) {
  const client = createClient({ url, transport, token, ...(renders !== undefined && { renders }) });
  rosterState(client, group_id).subscribe().unsubscribe();
  feedState(client).subscribe().unsubscribe();
  client.close();
}
