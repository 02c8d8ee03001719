import { isClientError } from '../error/index.js';

/**
 * What a hook failed with, as a line for the log. What this library says has no token in it; of anything else only the
 * name is told, since hooks know tokens, and may quote them in whatever form.
 */
export function errorText(error: unknown): string {
  try {
    const name = error instanceof Error ? error.name : typeof error;
    return isClientError(error) ? `${name}: ${error.message}` : name;
  } catch {
    return 'something unprintable';
  }
}
