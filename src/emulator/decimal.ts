import { Refusal } from './refusal.js';

/** A query's index or anchor as the number it is to the server; deployed servers fail at anything else. */
export function decimal(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new Refusal(500, 'ERROR', 'An internal error occurred.');
  return Number(text);
}
