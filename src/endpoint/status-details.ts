import { isLeft } from '#fp-ts/Either';
import { ErrorBody, redact, redactJson, type StatusDetails } from '../protocol/index.js';
import { secretsOf, type TransportRequest, type TransportResponse } from '../transport/index.js';
import { retryAfter } from './retry-after.js';

/**
 * What a refusal tells beside its status. Its body may be empty, HTML or cut; and where it quotes what was sent (a
 * player token, say), the quotes are taken out.
 */
export function statusDetails(
  { headers, text }: TransportResponse,
  request: TransportRequest,
  now: number,
): StatusDetails {
  const secrets = secretsOf(request);
  const body = readBody(text, secrets);
  const rayId = body.ray_id ?? redact(headers.get('rvt-ray-id') ?? '', secrets);
  const wait = retryAfter(headers.get('retry-after'), body.metadata, now);
  return {
    ...(body.code != null && { code: body.code }),
    ...(body.message != null && { reason: body.message }),
    ...(body.metadata != null && { metadata: body.metadata }),
    ...(rayId !== '' && { rayId }),
    ...(wait !== undefined && { retryAfter: wait }),
  };
}

/** Read first and cleaned then: a player chooses his token, and might choose the name of a field. */
function readBody(text: string, secrets: readonly string[]): ErrorBody {
  try {
    const result = ErrorBody.decode(JSON.parse(text));
    return isLeft(result) ? {} : (redactJson(result.right, secrets) as ErrorBody);
  } catch {
    return {};
  }
}
