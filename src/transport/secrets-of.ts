import type { TransportRequest } from './transport.js';

/** What must never show of a request: the token of its header, and every text in its body. */
export function secretsOf({ headers, body }: TransportRequest): readonly string[] {
  const token = headers.authorization?.replace(/^Bearer /, '');
  return [...(token ? [token] : []), ...(body ? textsIn(body) : [])];
}

function textsIn(body: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(body, (_key, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
    });
  } catch {
    texts.push(body);
  }
  return texts;
}
