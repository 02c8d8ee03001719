import type { ObservableInput } from 'rxjs';

/**
 * Where the bearer token comes from: the token itself, or a function that is asked for each request, since tokens live
 * shorter than watches do. It is asked with `'request'` before a request, and with `'rejected'` once the service has
 * answered 401, and then is to fetch a fresh one.
 *
 * @example
 * const token: Token = why => (why === 'rejected' ? session.renew() : session.token);
 */
export type Token = string | ((why: 'request' | 'rejected') => string | ObservableInput<string>);
