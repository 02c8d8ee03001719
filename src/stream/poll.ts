import type { ObservableInput } from 'rxjs';

/**
 * Asks a service once, from an index or, without one, from now. It is cold: subscribing asks, the first value is the
 * answer, completing without one means that there is nothing new, unsubscribing aborts.
 */
export type Poll<A> = (index: string | undefined) => ObservableInput<A>;
