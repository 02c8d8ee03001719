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

if (first === 'sent before') await confirm(fromFetch());
const descriptors: number[] = [];
try {
  for (;;) descriptors.push(openSync('/dev/null', 'r'));
} catch {
  console.log(await confirm(fromHttp()));
  console.log(await confirm(fromFetch()));
}
descriptors.forEach(descriptor => closeSync(descriptor));
// It recovers.
console.log(await confirm(fromFetch()));
process.exit();
