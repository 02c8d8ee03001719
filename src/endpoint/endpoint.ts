import {
  aBoolean,
  aFunction,
  atOnce,
  checkArgument,
  checkOptions,
  InputError,
  plainObject,
  type Check,
  type Options,
} from '../error/index.js';
import {
  aCodec,
  type AnyCodec,
  type AnyStruct,
  type Codec,
  type Flat,
  type WatchData,
} from '../protocol/index.js';

/**
 * The three services. Each has its base URL: {group_url}, {matchmaker_url} or {api_url}
 * (docs/the-service.md).
 */
export type Service = 'group' | 'matchmaker' | 'api';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names of a path's parameters: `'group_id'` for `/v1/groups/{group_id}/members`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/**
 * One operation of a service as plain data: the parts of its request, its address, and its answer.
 * Created by `endpoint()`.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an endpoint with any input and answer
export interface Endpoint<Input = any, Answer = any, Method extends HttpMethod = HttpMethod> {
  readonly method: Method;
  /** The service whose base URL the path is appended to. */
  readonly service: Service;
  /** Starts with `/`. Parameters are in braces. */
  readonly path: string;
  /** The codec of the query parameters. */
  readonly query?: AnyStruct | undefined;
  /** The codec of the JSON body's fields. */
  readonly body?: AnyStruct | undefined;
  /** The codec of the answer's body. `Acknowledged` if the body contains no data. */
  readonly response: Codec<Answer>;
  /**
   * For a watch, whether an answer has nothing new. Default: never. The parameter is `never`, so
   * that an endpoint can be copied with another response. `endpoint()` checks the types.
   */
  readonly isEmpty?: (answer: never) => boolean;
  /**
   * Returns an answer without its news. It is acknowledged if an answer only repeats the last one.
   * Default: the answer itself.
   */
  readonly withoutNews?: (answer: never) => unknown;
  /**
   * For a watch, whether each answer is the whole state. Then an answer that differs from the last
   * one only in its index is a repeat. Default false: the answers are a log, in which an event may
   * equal the one before.
   */
  readonly isState?: boolean;
  /**
   * For a watch, a key of an answer. An answer with the same key as the last one with news is a
   * repeat. Default: the whole text. For a state, its text without `watch`.
   */
  readonly keyOf?: (answer: never) => unknown;
  /**
   * Whether the request may be sent again. If not (`false`), an error after which it may have been
   * carried out is not retryable. Default true.
   */
  readonly isRepeatable?: boolean;
  /** @internal Exists in types only. It carries the type of the input. */
  readonly _input?: (input: Input) => void;
}

/**
 * `unknown` if an endpoint can be watched, otherwise a message for the compiler to show. The
 * endpoint must be a GET, take a `watch_index`, and answer with a `watch.index`.
 */
export type Watchable<Input, Answer, Method extends HttpMethod> = [Method] extends ['GET']
  ? 'watch_index' extends keyof Input
    ? Answer extends { readonly watch: WatchData }
      ? unknown
      : 'this endpoint cannot be watched: its answer has no watch.index'
    : 'this endpoint cannot be watched: it takes no watch_index'
  : `a ${Method} cannot be watched`;

/**
 * `unknown` if an endpoint has pages, otherwise a message for the compiler to show. The endpoint
 * must take an `anchor`, and its answer must have an optional one.
 */
export type Pageable<Input, Answer> = 'anchor' extends keyof Input
  ? Answer extends { readonly anchor?: string | number | null | undefined }
    ? unknown
    : 'this endpoint has no pages: its answer has no anchor'
  : 'this endpoint has no pages: it takes no anchor';

type Decoded<S> = S extends AnyCodec ? S['_A'] : unknown;

const oneOf = (...values: readonly string[]): Check => ({
  name: `one of ${values.join(', ')}`,
  is: u => values.includes(u as string),
});
const fields: Check = {
  name: 'a codec created by struct()',
  is: u => aCodec.is(u) && 'required' in u && 'optional' in u,
};
const PARTS: Options<Omit<Endpoint, '_input'>> = {
  method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  service: oneOf('group', 'matchmaker', 'api'),
  path: {
    name: "a path that starts with '/', with parameters like {group_id}, without ? and #",
    is: u => typeof u === 'string' && /^\/([^{}?#]|\{\w+\})*$/.test(u),
  },
  query: fields,
  body: fields,
  response: aCodec,
  isEmpty: aFunction,
  withoutNews: aFunction,
  isState: aBoolean,
  keyOf: aFunction,
  isRepeatable: aBoolean,
};

/**
 * Declares an endpoint of your own for `client.request`, and for `client.watch` or `client.pages`
 * if it takes a `watch_index` or an `anchor`. Path parameters, query and body become one flat,
 * typed input.
 *
 * Throws an `InputError` if the definition is invalid.
 *
 * @example
 * const rename = endpoint({
 *   method: 'POST', service: 'group', path: '/v1/groups/{group_id}/name',
 *   body: struct('Rename', { display_name: nonEmptyString }), response: Acknowledged,
 * });
 * client.request(rename, { group_id, display_name: 'The Analytical Engine' }).subscribe();
 */
export function endpoint<
  const Path extends string,
  Answer,
  const Method extends HttpMethod,
  Query extends AnyStruct | undefined = undefined,
  Body extends AnyStruct | undefined = undefined,
>(definition: {
  readonly method: Method;
  readonly service: Service;
  readonly path: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: Codec<Answer>;
  readonly isEmpty?: (answer: NoInfer<Answer>) => boolean;
  readonly withoutNews?: (answer: NoInfer<Answer>) => NoInfer<Answer>;
  readonly isState?: boolean;
  readonly keyOf?: (answer: NoInfer<Answer>) => unknown;
  readonly isRepeatable?: boolean;
}): Endpoint<
  Flat<Readonly<Record<PathParameter<Path>, string>> & Decoded<Query> & Decoded<Body>>,
  Answer,
  Method
> {
  checkEndpoint(definition);
  const { isEmpty, withoutNews, keyOf } = definition;
  return {
    ...definition,
    ...(isEmpty && { isEmpty }),
    ...(withoutNews && { withoutNews: atOnce('withoutNews', withoutNews) }),
    ...(keyOf && { keyOf: atOnce('keyOf', keyOf) }),
  };
}

/**
 * Throws an `InputError` if this is not a valid endpoint. Also throws if it does not take the same
 * names at the same places as the endpoint that it replaces. A player's token, for example, must
 * stay in the body. `name` is the endpoint's path in error messages.
 */
export function checkEndpoint(definition: unknown, name = '', replaced?: Endpoint): void {
  const given = checkArgument(name || 'endpoint', plainObject, definition) as unknown as Endpoint;
  checkOptions<Omit<Endpoint, '_input'>>(given, PARTS, name, ['method', 'service', 'path', 'response']);
  if (replaced) checkSameNames(given, replaced, name);
  checkDistinctNames(given, name);
}

/** The input is flat, so one value would be sent for two fields with one name. */
function checkDistinctNames(endpoint: Endpoint, name: string): void {
  const names = inputNames(endpoint);
  const twice = names.find((field, i) => names.indexOf(field) < i);
  if (twice === undefined) return;
  throw new InputError(
    name || 'endpoint',
    'one with distinct names in path, query and body',
    `${twice} twice`,
  );
}

function checkSameNames(own: Endpoint, replaced: Endpoint, name: string): void {
  const names = {
    path: parametersOf(replaced.path),
    query: fieldNames(replaced.query),
    body: fieldNames(replaced.body),
  };
  const inUrl = [...parametersOf(own.path), ...fieldNames(own.query)];
  const rules: readonly [part: keyof typeof names, is: boolean][] = [
    ['path', parametersOf(own.path).sort().join() === names.path.sort().join()],
    ['query', names.query.every(name => fieldNames(own.query).includes(name))],
    ['body', names.body.every(name => fieldNames(own.body).includes(name) && !inUrl.includes(name))],
  ];
  for (const [part, is] of rules) {
    if (is) continue;
    const expected = `with ${names[part].join(', ') || 'no parameters'}, as in the endpoint that it replaces`;
    throw new InputError(`${name}.${part}`, expected, 'something else');
  }
}

/** The names that the input of an endpoint may have. */
export function inputNames({ path, query, body }: Endpoint): readonly string[] {
  return [...parametersOf(path), ...fieldNames(query), ...fieldNames(body)];
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function fieldNames(struct: AnyStruct | undefined): string[] {
  return [...Object.keys(struct?.required ?? {}), ...Object.keys(struct?.optional ?? {})];
}
