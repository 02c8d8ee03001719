/* global expect, test */
import { listen } from 'lobby-rx/emulator';
import { ask } from './ask.js';
import { service } from './service.js';

test('asks the emulator', async () => {
  const { emulator, group_id, token } = service();
  const { transport, url } = emulator;
  expect(await ask({ url, token, transport }, group_id)).toBe('Ada and Grace');
  const server = await listen(emulator);
  expect(await ask({ url: server.url, token }, group_id)).toBe('Ada and Grace');
  await server.close();
  expect(typeof document).toBe(process.env.DOCUMENT ?? 'undefined');
});
