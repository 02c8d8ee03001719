/** A wake comes to every client at once, as when a network is back: this spreads their polls, in ms. */
export const WAKE_JITTER = 1_000;
