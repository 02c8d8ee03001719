import * as t from 'io-ts';
import type { StatusDetails } from '../error/index.js';
import type { Codec } from './codec.js';
import { struct, type AnyStruct } from './struct.js';

/**
 * The body of an error answer, as observed on deployed servers. The interface document does not
 * show one. Any field may be absent, and a crashed server sends no body at all.
 */
export interface ErrorBody {
  /** The service's error code, for example `GROUP_NOT_MEMBER`. */
  readonly code?: string | null | undefined;
  /** The service's error message. */
  readonly message?: string | null | undefined;
  /** A link to the error's documentation. */
  readonly documentation?: string | null | undefined;
  /**
   * Any further data. For a rate limit, it is when requests will be served again, in ms since 1970.
   */
  readonly metadata?: unknown;
  /**
   * The ray id: the service's request id. Quote it when you report a problem to the operators of
   * the service.
   */
  readonly ray_id?: string | null | undefined;
}

export const ErrorBody: Codec<ErrorBody> & AnyStruct = struct(
  'ErrorBody',
  {},
  { code: t.string, message: t.string, documentation: t.string, metadata: t.unknown, ray_id: t.string },
);

/**
 * Reads the details of an error answer, as far as it has any. Its body may be empty, HTML or cut
 * off, and have fields of other types. The id of the request may stand in a header instead.
 */
export function detailsOf(text: string, headers: { get(name: string): string | null }): StatusDetails {
  const { code, message, metadata, ray_id } = errorBodyIn(text);
  const rayId = ray_id ?? headers.get('rvt-ray-id') ?? '';
  return {
    code: code ?? undefined,
    reason: message ?? undefined,
    metadata: metadata ?? undefined,
    rayId: rayId === '' ? undefined : rayId,
  };
}

function errorBodyIn(text: string): ErrorBody {
  try {
    const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const valid = Object.entries(ErrorBody.optional).filter(([name, codec]) => codec.is(json[name]));
    return Object.fromEntries(valid.map(([name]) => [name, json[name]]));
  } catch {
    return {};
  }
}
