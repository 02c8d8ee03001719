import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

const kept = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
const single = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };

/** The agent for a protocol: one that keeps sockets (idle ones do not hold the process), or one that closes each. */
export function agentFor(protocol: string, keep: boolean): HttpAgent {
  return (keep ? kept : single)[protocol === 'https:' ? 'https' : 'http'];
}
