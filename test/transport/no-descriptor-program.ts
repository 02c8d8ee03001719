// A program that has used up its file descriptors when it sends its first requests. It prints how
// they end.
import { closeSync, openSync } from 'node:fs';
import { lastValueFrom } from 'rxjs';
import { createClient, fromFetch, isTransportError, whyNotConnected, type Transport } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';

const [url, first] = process.argv.slice(2);

async function confirm(transport: Transport): Promise<string> {
  const client = createClient({ url: url!, token: 't', transport });
  return lastValueFrom(client.matchmaker.players.connected({ player_token: 'p' })).then(
    () => 'OK',
    (error: unknown) => `${isTransportError(error) && error.reason}: ${whyNotConnected(error).outcome}`,
  );
}

const descriptors: number[] = [];

/** Opens files until there is no descriptor left. Returns whether there was one. */
function fill(): boolean {
  const before = descriptors.length;
  try {
    for (;;) descriptors.push(openSync('/dev/null', 'r'));
  } catch {
    return descriptors.length > before;
  }
}

/** Fills until no descriptor becomes free for a while. Sockets are closed some ticks later. */
async function useUp(): Promise<void> {
  let fullTicks = 0;
  while (fullTicks < 20 || process.getActiveResourcesInfo().includes('TCPSocketWrap')) {
    fullTicks = fill() ? 0 : fullTicks + 1;
    await new Promise(resolve => setImmediate(resolve));
  }
}

if (first === 'sent before') await confirm(fromFetch());
await useUp();
console.log(await confirm(fromHttp()));
await useUp();
console.log(await confirm(fromFetch()));
descriptors.forEach(descriptor => closeSync(descriptor));
// It recovers.
console.log(await confirm(fromFetch()));
process.exit();
