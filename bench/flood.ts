import { WebSocket } from 'ws';

/** What became of a flood, by HTTP status; 101 is a socket that opened. */
export type Flood = ReadonlyMap<number, number>;

/** So many come at once. */
const CROWD = 200;

/** Comes with all of these tokens, a crowd at a time, and leaves when all have been answered. */
export async function flood(port: number, tokens: readonly string[]): Promise<Flood> {
  const answers = new Map<number, number>();
  const open: WebSocket[] = [];
  const come = (token: string): Promise<number> =>
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
  const left = [...tokens];
  const comeOneByOne = async () => {
    for (let token = left.pop(); token !== undefined; token = left.pop()) {
      const status = await come(token);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CROWD }, comeOneByOne));
  await Promise.all(
    open.map(
      ws =>
        new Promise(resolve => {
          ws.on('close', resolve);
          ws.close();
        }),
    ),
  );
  return answers;
}
