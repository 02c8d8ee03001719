import { Agent, get } from 'node:http';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'lobby-rx';
import { fromHttp } from 'lobby-rx/node';
import { isMemberList } from './hand-written-checks.js';
import { getJson } from './hand-written.js';
import { compare, cpuOf, interleaved, type Rounds } from './measure.js';
import { officialClient } from './peers.js';
import type { Report } from './report.js';
import { startService } from './service-process.js';

const REQUESTS = 400;
const ROUNDS = 9;
/** A client lives long: what counts is what its requests cost once its code has been optimized. */
const WARM_UP = 10;

/** What one request costs the client, beside other clients. */
export async function benchRequests(report: Report): Promise<void> {
  const service = await startService();
  const members = `${service.url}/v1/groups/g/members`;
  const headers = { authorization: 'Bearer t' };
  const client = createClient({ url: service.url, token: 't' });
  const official = officialClient(service.url);
  const agent = new Agent({ keepAlive: true });

  const overHttp = createClient({ url: service.url, token: 't', transport: fromHttp() });
  const byNode = () => getByNode(members, headers, agent);
  const contenders = {
    'lobby-rx': () => lastValueFrom(client.group.getMembers({ group_id: 'g' })),
    'cross-fetch with keep-alive, JSON.parse': () => getJson(members),
    'cross-fetch with an abort, a timeout and checks by hand': () => getCarefully(members),
    "Node's fetch, JSON.parse": async () =>
      JSON.parse(await (await fetch(members, { headers })).text()) as unknown,
    'the official client': () => official.group.getMembers('g'),
    'node:http with keep-alive, JSON.parse: the limit': byNode,
  };
  const overNode = {
    'lobby-rx with fromHttp()': () => lastValueFrom(overHttp.group.getMembers({ group_id: 'g' })),
    'cross-fetch with keep-alive, JSON.parse': contenders['cross-fetch with keep-alive, JSON.parse'],
    'node:http with keep-alive, JSON.parse': byNode,
  };
  for (const atOnce of [1, 8]) {
    const how = atOnce === 1 ? 'one after another' : `${atOnce} at a time`;
    report.heading(`A getMembers of 16 members, ${how}: CPU of the client`);
    compare(report, await cpuOfEach(contenders, atOnce), 'µs', {
      'cross-fetch with keep-alive, JSON.parse': [2.3, 1.25],
      'cross-fetch with an abort, a timeout and checks by hand': 2,
      "Node's fetch, JSON.parse": [1.2, 1],
      'the official client': 0.5,
      'node:http with keep-alive, JSON.parse: the limit': [2.6, 2],
    });
    report.heading(`The same over node:http, ${how}`);
    compare(report, await cpuOfEach(overNode, atOnce), 'µs', {
      'cross-fetch with keep-alive, JSON.parse': [1.4, 1.25],
      'node:http with keep-alive, JSON.parse': [1.8, 1.3],
    });
  }
  agent.destroy();
  service.stop();
}

/** What one request takes, in µs, if so many are sent at once. */
function cpuOfEach<K extends string>(
  contenders: Readonly<Record<K, () => Promise<unknown>>>,
  atOnce: number,
): Promise<Rounds<K>> {
  const cpu = (request: () => Promise<unknown>) => async () => {
    let left = REQUESTS;
    const sendNext = async () => {
      while (left-- > 0) await request();
    };
    return (await cpuOf(() => Promise.all(Array.from({ length: atOnce }, sendNext)))) / REQUESTS;
  };
  const tasks = Object.entries<() => Promise<unknown>>(contenders).map(([name, request]) => [
    name,
    cpu(request),
  ]);
  return interleaved(Object.fromEntries(tasks) as Record<K, () => Promise<number>>, {
    rounds: ROUNDS,
    warmUp: WARM_UP,
  });
}

/**
 * The least that has to be added to be safe: whoever waits no longer, or too long, aborts, and what
 * comes is checked.
 */
async function getCarefully(url: string): Promise<unknown> {
  const abort = new AbortController();
  const timeout = setTimeout(() => abort.abort(), 15_000);
  try {
    const list = await getJson<unknown>(url, abort.signal);
    if (!isMemberList(list)) throw new Error('the answer is no list of members');
    return list;
  } finally {
    clearTimeout(timeout);
  }
}

function getByNode(url: string, headers: Record<string, string>, agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}
