import * as t from 'io-ts';
import { isFromService, isServiceCode, type StatusDetails } from '../error/index.js';
import { struct, type AnyStruct, type Codec } from './codec.js';

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

/** The parts of an answer that say what happened, and who has answered. */
export interface AnswerParts {
  readonly headers: { get(name: string): string | null };
  readonly text: string;
  /** Whether the service itself has answered. Default: as its details suggest. */
  readonly isFromService?: boolean | undefined;
}

/** The header of an answer that is the service's request id. */
export const RAY_ID = 'rvt-ray-id';

function nonEmpty(text?: string | null): string | undefined {
  return text === '' ? undefined : (text ?? undefined);
}

/** Whether the body of an answer has no data. */
export function saysNothing(text: string): boolean {
  return /^\s*(null|\{\s*\})?\s*$/.test(text);
}

/**
 * Reads the details of an answer that is no OK, as far as it has any. Its body may be empty, HTML
 * or cut off, and have fields of other types. The ray id may stand in the body, too. There it
 * counts only beside a code like those of the service, since others have a `ray_id` of their own.
 */
export function detailsOf({ headers, text, isFromService: isOwn }: AnswerParts): StatusDetails {
  const { code, message: reason, metadata, ray_id } = errorBodyIn(text);
  const details = {
    code,
    reason,
    metadata,
    rayId: nonEmpty(headers.get(RAY_ID)) ?? (isServiceCode(code) ? nonEmpty(ray_id) : undefined),
    isFromService: isOwn,
  };
  details.isFromService = isFromService(details);
  if (!details.isFromService) details.reason ??= foreignReason(text.slice(0, MAX_PAGE_LENGTH), headers);
  return details;
}

/** How much is read of what is not the service's. Longer pages could take long to search. */
const MAX_PAGE_LENGTH = 2_000;
const MAX_REASON_LENGTH = 200;

/** What something else than the service says: the title of its page, its text, or its name. */
function foreignReason(text: string, headers: AnswerParts['headers']): string | undefined {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1];
  const words = title ?? (saysNothing(text) || /^\s*</.test(text) ? '' : text);
  return nonEmpty(words.trim().slice(0, MAX_REASON_LENGTH)) ?? nonEmpty(headers.get('server'));
}

/** The fields of an error body that are valid. One that is null counts as missing. */
function errorBodyIn(text: string): { readonly [Key in keyof ErrorBody]: Exclude<ErrorBody[Key], null> } {
  try {
    const json = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const valid = Object.entries(ErrorBody.optional).filter(([name, codec]) => codec.is(json[name]));
    return Object.fromEntries(valid.map(([name]) => [name, json[name] ?? undefined]));
  } catch {
    return {};
  }
}
