import { createRequire } from 'node:module';
import type { Observable } from 'rxjs';

// The parts of the peers that are measured, typed here: the project is type-checked where they are not installed.

/** The official client, `@rivet-gg/api`. */
export interface OfficialClient {
  readonly group: { getMembers(group_id: string): Promise<{ readonly members: readonly unknown[] }> };
  readonly identity: {
    readonly events: {
      watch(input: {
        watchIndex?: string;
      }): Promise<{ readonly events: readonly unknown[]; readonly watch: { readonly index: string } }>;
    };
  };
}

export function officialClient(url: string): OfficialClient {
  const { RivetClient } = load('@rivet-gg/api') as { RivetClient: new (config: object) => OfficialClient };
  return new RivetClient({ environment: url, token: 't' });
}

/** Follows the events in the loop that one writes around the official client, which has none. */
export async function followOfficially(
  { identity }: OfficialClient,
  onEvents: (events: readonly unknown[]) => void,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const { RivetTimeoutError } = load('@rivet-gg/api') as { RivetTimeoutError: new () => Error };
  for (let watchIndex: string | undefined; !isStopped();) {
    try {
      const { events, watch } = await identity.events.watch(watchIndex === undefined ? {} : { watchIndex });
      if (events.length > 0 && !isStopped()) onEvents(events);
      watchIndex = watch.index;
    } catch (error) {
      // A poll that waits for a minute has failed, for this client.
      if (!(error instanceof RivetTimeoutError)) throw error;
    }
  }
}

/** The deserializer of the official client for a batch of events, with the options that this client uses. */
export function officialDeserializer(): (json: unknown) => Promise<unknown> {
  interface Schema {
    parseOrThrow(json: unknown, options: object): Promise<unknown>;
  }
  const { identity } = load('@rivet-gg/api/serialization') as { identity: { WatchEventsResponse: Schema } };
  return json =>
    identity.WatchEventsResponse.parseOrThrow(json, {
      unrecognizedObjectKeys: 'passthrough',
      allowUnrecognizedUnionMembers: true,
      allowUnrecognizedEnumValues: true,
    });
}

/** rx-polling, which is made for browsers: it is given a document that is always visible. */
export function rxPolling(): <T>(request$: Observable<T>, interval: number) => Observable<T> {
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { hidden: false }) });
  type Polling = <T>(request$: Observable<T>, config: { interval: number }) => Observable<T>;
  const { default: polling } = load('rx-polling') as { default: Polling };
  return (request$, interval) => polling(request$, { interval });
}

const require = createRequire(import.meta.url);

/** The same copies as `import` would give: the peers' CommonJS shares its rxjs with the library. */
export function load(name: string): unknown {
  return require(name);
}
