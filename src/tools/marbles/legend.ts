import type { Item } from './item.js';

/** The sign and its text, for each reason why a poll ended. */
export const SIGNS: Readonly<Record<string, readonly [sign: string, text: string]>> = {
  cut: ['✂', 'cut off by a proxy, or too late'],
  failed: ['✕', 'failed'],
  retry_after: ['⏲', 'the service asked to wait'],
  woken: ['☀', 'the machine woke'],
  ack_failed: ['!', 'ack failed'],
  ended: ['■', 'the watch ended'],
  gap: ['◇', 'gap'],
};

/** Marks that look alike, and their meaning. */
export interface LegendEntry {
  readonly shape: Item['shape'];
  /** The legend shows the first tone. */
  readonly tones: readonly [string, ...string[]];
  readonly label: string;
}

/** Every mark except those of events. The legend explains the letter of an event when it comes. */
export const LEGEND: readonly LegendEntry[] = [
  { shape: 'poll', tones: ['open', 'first'], label: 'open' },
  { shape: 'poll', tones: ['news'], label: 'with news' },
  { shape: 'poll', tones: ['no_news', 'stale'], label: 'without' },
  { shape: 'poll', tones: ['failed', 'retry_after', 'cut'], label: 'failed' },
  { shape: 'poll', tones: ['paused', 'woken'], label: 'aborted' },
  {
    shape: 'wait',
    tones: ['no_news', 'news', 'stale', 'woken', 'paused', 'resumed', 'ended'],
    label: 'wait',
  },
  { shape: 'wait', tones: ['failed', 'retry_after', 'cut', 'ack_failed'], label: 'waits to try again' },
  { shape: 'line', tones: ['connecting'], label: 'connecting' },
  { shape: 'line', tones: ['live'], label: 'live' },
  { shape: 'line', tones: ['retrying'], label: 'retrying' },
  { shape: 'line', tones: ['offline'], label: 'offline' },
  { shape: 'line', tones: ['acknowledging'], label: 'acknowledging' },
  { shape: 'line', tones: ['idle', 'closed'], label: 'over' },
  { shape: 'sign', tones: ['cut'], label: 'cut off' },
  { shape: 'sign', tones: ['failed'], label: 'failed' },
  { shape: 'sign', tones: ['retry_after'], label: 'asked to wait' },
  { shape: 'sign', tones: ['woken'], label: 'woke' },
  { shape: 'sign', tones: ['ack_failed'], label: 'ack failed' },
  { shape: 'sign', tones: ['ended'], label: 'ended' },
  { shape: 'sign', tones: ['gap'], label: 'gap' },
];

/** The entry of the legend that explains a mark. */
export const legendOf = ({ shape, tone }: Pick<Item, 'shape' | 'tone'>): LegendEntry | undefined =>
  LEGEND.find(entry => entry.shape === shape && entry.tones.includes(tone));
