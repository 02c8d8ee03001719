import { WebSocket } from 'ws';

/** The number of answers by HTTP status. 101 is a socket that opened. */
export type StatusCounts = ReadonlyMap<number, number>;

/** How many clients connect at the same time. */
const CONCURRENCY = 200;

/** Connects once with each token, and closes all sockets when every request has been answered. */
export async function flood(port: number, tokens: readonly string[]): Promise<StatusCounts> {
  const counts = new Map<number, number>();
  const open: WebSocket[] = [];
  const connect = (token: string): Promise<number> =>
    new Promise(resolve => {
      const ws = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`);
      ws.on('error', () => undefined);
      ws.on('open', () => {
        open.push(ws);
        resolve(101);
      });
      ws.on('unexpected-response', (_, response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      });
    });
  const remaining = [...tokens];
  const connectNext = async () => {
    for (let token = remaining.pop(); token !== undefined; token = remaining.pop()) {
      const status = await connect(token);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, connectNext));
  await Promise.all(
    open.map(
      ws =>
        new Promise(resolve => {
          ws.on('close', resolve);
          ws.close();
        }),
    ),
  );
  return counts;
}
