import type { Observable } from 'rxjs';
import type { EmulatedRequest } from './emulated-request.js';
import type { EmulatedResponse } from './emulated-response.js';

/** A service as a function: a request in, one response out when its time has come; unsubscribing hangs up. */
export type Handler = (request: EmulatedRequest) => Observable<EmulatedResponse>;
