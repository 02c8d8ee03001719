import type { Observer } from 'rxjs';
import { DirectOperator } from '../../direct/index.js';
import { explainFailure } from '../explain-failure.js';
import { answerOf, type Transport, type TransportRequest, type TransportResponse } from '../transport.js';

/**
 * A request that is sent once, with one token. A custom transport may throw, or answer with
 * something else.
 */
export class Attempt extends DirectOperator<TransportResponse> {
  /** The request with the token, which an error may quote. */
  readonly #request: TransportRequest;

  constructor(
    private readonly whole: Observer<TransportResponse>,
    request: TransportRequest,
    readonly token: string,
    readonly sentAt: number,
  ) {
    super(whole);
    this.#request = withBearer(request, token);
  }

  send(transport: Transport): void {
    this.begin(() => answerOf(transport, this.#request));
  }

  next(response: TransportResponse): void {
    if (this.isOver) return;
    this.unsubscribe();
    // This does not end the whole request, which may send another attempt.
    try {
      this.whole.next(response);
    } catch (error) {
      this.whole.error(explainFailure(error, this.#request));
    }
  }

  override error(error: unknown): void {
    super.error(explainFailure(error, this.#request));
  }
}

function withBearer(request: TransportRequest, token: string): TransportRequest {
  return {
    ...request,
    // A spread that adds a name would cost each request a separate hidden class in V8.
    headers: token
      ? Object.assign({}, request.headers, { authorization: `Bearer ${token}` })
      : request.headers,
    // A 401 that is followed by another request is not yet the answer.
    onArrival: status => {
      if (status !== 401) request.onArrival?.(status);
    },
  };
}
