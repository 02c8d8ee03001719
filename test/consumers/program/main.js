import { listen } from 'lobby-rx/emulator';
import { ask } from './ask.js';
import { service } from './service.js';

async function main() {
  const { emulator, group_id, token } = service();
  const { transport, url } = emulator;
  const inProcess = await ask({ url, token, transport }, group_id);
  const server = await listen(emulator);
  const overHttp = await ask({ url: server.url, token }, group_id);
  await server.close();
  console.log(`in process: ${inProcess}; over HTTP: ${overHttp}`);
}

void main();
