import type { SeenAction } from '../world-view.js';

/**
 * The actions as a test for mocha, or for `node --test` with its `it`. A break is no command of the
 * emulator, and has calls that do the same.
 */
export function testOf(actions: readonly SeenAction[]): string {
  const lines = actions.flatMap(({ line, calls }) => calls ?? [`control.type(${JSON.stringify(line)});`]);
  return `import { createControl, createEmulator, listen, seedWorld } from "lobby-rx/emulator";

it('does what was seen in the workbench', async () => {
  const emulator = createEmulator();
  const world = seedWorld(emulator);
  const control = createControl(emulator, world);
  const { url, close } = await listen(emulator);
  // Here, your client connects to url with world.identityToken.
${lines.map(line => `  ${line}`).join('\n')}
  // Here, what it has to show.
  await close();
});
`;
}
