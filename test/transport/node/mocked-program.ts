// Sends a request after `http.request` has been replaced, as mocks do, and prints how often that
// was called.
import http from 'node:http';
import { lastValueFrom } from 'rxjs';
import { fromHttp } from 'lobby-rx/node';

const { request } = http;
let calls = 0;
http.request = (...given: readonly unknown[]) => {
  calls++;
  return request(...(given as Parameters<typeof request>));
};
await lastValueFrom(fromHttp()({ method: 'GET', url: process.argv[2]!, headers: {} }));
console.log(calls);
process.exit();
