// The name of this service cannot be resolved: only a proxy can answer for it.
import { fromFetch } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { firstValueFrom } from 'rxjs';

const url = 'http://service.invalid/events';
for (const transport of [fromFetch(), fromHttp()]) {
  for (const method of ['GET', 'POST']) {
    const request = { method, url, headers: {}, ...(method === 'POST' && { body: '{}' }) };
    const { text } = await firstValueFrom(transport(request));
    if (text !== `${method} ${url}`) throw new Error(text);
  }
}
console.log('by the proxy');
