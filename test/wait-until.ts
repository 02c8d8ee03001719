/**
 * Polls a condition every 2 ms until it holds. If it never does, the test's own timeout ends the
 * test.
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(resolve => setTimeout(resolve, 2));
}
