import { createInterface } from 'node:readline';
import { createControl, createEmulator, listen, seedWorld, type ControlResult } from 'lobby-rx/emulator';

/** The service that a lobby uses, and the token of the lobby. */
export interface Service {
  readonly url: string;
  readonly token: string;
  /** Ends an emulated one. */
  readonly close?: () => void;
}

/**
 * Player tokens are usually valid for two minutes. Here they are for an hour: there is no hurry.
 */
const RESERVATION = 3_600_000;

/**
 * Starts an emulator of the service for a lobby on this port of 127.0.0.1. Prints a command for
 * each of two players, and takes the emulator's commands on standard input.
 */
export async function emulatedService(port: number): Promise<Service> {
  const emulator = createEmulator({ reservation: RESERVATION, random: Math.random });
  const ports = { default: { hostname: '127.0.0.1', port, is_tls: false } };
  const world = seedWorld(emulator, { ports });
  const control = createControl(emulator, world);
  const server = await listen(emulator);

  const play = (name: string, token: string) =>
    `  npm run play -- 'ws://127.0.0.1:${port}/?name=${name}' ${token}`;
  console.log(`There is no LOBBY_RX_URL, so the service is emulated on ${server.url}. To play, run these in two other terminals:
${play('Ada', world.playerToken)}
${play('Grace', emulator.reservePlayer(world.lobbyId))}
Each of them works once. Type player for a new one, help for more, Ctrl-C to stop.`);

  const commands = createInterface({ input: process.stdin }).on('line', line => {
    try {
      if (line.trim() !== '') console.log(textOf(control.type(line)));
    } catch (error) {
      console.log(`${(error as Error).message}; type help for all commands`);
    }
  });
  return {
    url: server.url,
    token: world.lobbyToken,
    close: () => {
      commands.close();
      process.stdin.destroy();
      void server.close();
    },
  };
}

/**
 * What a command has done, and a line for each value. Control characters must not reach the
 * terminal.
 */
function textOf({ message, ...values }: ControlResult): string {
  const rows = Object.entries(values).map(
    ([name, value]) => `  ${name.padEnd(14)} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...message.split('\n'), ...rows].map(row => row.replace(/\p{Cc}/gu, ' ')).join('\n');
}
