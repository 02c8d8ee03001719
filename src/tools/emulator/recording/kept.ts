import { tryOr } from '../../../error/index.js';
import { StandIns } from './stand-ins.js';

/** The look of a field's name. */
const NAME = /^(?=.{1,40}$)[a-z]+(_[a-z]+)*$/;

/**
 * The service's own names of fields (docs/the-service.md, 2 and 7). Others may be what somebody has
 * typed: keys of a map.
 */
const FIELDS = new Set(
  `account_number aggregation anchor avatar_url awaiting_deletion banner_url bio code config default description display_name documentation email
  events external follower_count following following_count format game game_activity game_id games group group_id groups host hostname
  icon_id identities identity identity_id identity_update index is_admin is_developer is_following_me is_game_linked is_mutual_following
  is_registered is_tls join_ts kind linked_accounts lobby lobby_id logo_url matchmaker_lobby_join max members message metadata min
  mutual_metadata name name_id notification overall_value player player_token port port_range ports postfix_plural postfix_singular
  prefix_plural prefix_singular presence priority profile public_metadata ray_id record_id region region_id settings sorting stats status
  thumbnail_url title token ts update_ts url watch`.split(/\s+/),
);

/**
 * Where names that a developer has chosen are kept, too: kinds of events, and parameters. What is
 * in a kind may be a map.
 */
const OWN_NAMES = /^(events\.kind|\?)$/;

/**
 * Where the service has digits that a watch or a pager sends back, or that are a time or a port;
 * elsewhere they may be anything.
 */
const DIGITS =
  /^(\?(watch_index|anchor|count)|watch\.index|anchor|metadata|events\.ts|(events\.kind\.identity_update|members)\.identity\.(join_ts|presence\.update_ts)|events\.kind\.matchmaker_lobby_join\.ports\.[^.]+\.(port|port_range\.(min|max)))$/;

/** Those of them that are times: text, or ms since 1970. */
const TIMES = /(^|[._])ts$|^metadata$/;

/** Fields with a number or a boolean that says nothing of a person. */
const VALUES =
  /(^|\.)(is_[a-z_]+|following|awaiting_deletion|follower_count|following_count|priority|overall_value)$/;

/** The kinds of stand-ins of some texts that are not called by their field. */
const KINDS: Readonly<Record<string, string>> = {
  index: 'index',
  watch_index: 'index',
  anchor: 'anchor',
  ray_id: 'ray',
  hostname: 'host',
};

const PRESENCE = /^(online|away|offline|dnd)$/;

/** A code of an error. */
const CODE = /^(?=.{1,60}$)[A-Z]+(_[A-Z]+)*$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Whether it is a number or a boolean of the service. A time is in ms; a number that is no time may
 * be large for a person only.
 */
function isValue(path: string, value: unknown): boolean {
  if (typeof value === 'boolean') return VALUES.test(path);
  if (typeof value !== 'number' || !(DIGITS.test(path) || VALUES.test(path))) return false;
  return TIMES.test(path) ? value > 1e12 && value < 1e13 : !/(^|\.)is_/.test(path) && Math.abs(value) <= 1e6;
}

/** Deeper than this, the service has no fields. */
const DEEPEST = 8;

/** The path and the query of a URL. */
export function partsOf(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  return { path, query };
}

/** Whether a segment of a path is one of the service's own. All others are ids. */
export const isSegment = (text: string): boolean =>
  /^(v\d{1,2}|api|group|groups|members|identity|events|live|matchmaker|players|connected|disconnected)$/.test(
    text,
  );

/** Keeps of a recording what a replay needs, and puts stand-ins in place of all else. */
export class Kept {
  readonly #standIns = new StandIns();

  /** An URL: the shape of its path, the names of its query, indexes and counts. */
  url(url: string): string {
    const { path, query } = partsOf(url);
    const segments = path.split('/').map(segment => {
      const text = decoded(segment);
      return isSegment(text) ? text : this.#standIns.of(text, 'id');
    });
    const parameters = query
      .split('&')
      .filter(Boolean)
      .map(parameter => {
        const [name = '', value = ''] = parameter.split(/=(.*)/s).map(decoded);
        return `${this.#name(name, '?')}=${encodeURIComponent(this.#text(value, name, `?${name}`))}`;
      });
    return `https://service.example${segments.join('/')}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`;
  }

  /** A header of an answer. */
  header(name: string, value: string): string {
    if (HEADERS[name]?.test(value)) return value;
    return this.#standIns.of(value, name === 'rvt-ray-id' ? 'ray' : 'text');
  }

  /**
   * A body. JSON keeps its shape; what is malformed, or deeper than the stack is, stays malformed.
   */
  body(text: string): string {
    if (text.trim() === '') return text;
    const shown = tryOr(() => JSON.stringify(this.#value(JSON.parse(text), '', '', 0)), undefined);
    if (shown !== undefined) return shown;
    if (/^\s*</.test(text)) return `<!doctype html><title>${this.#standIns.of(text, 'page')}</title>`;
    return `${/^\s*[[{"]/.exec(text)?.[0].trim() ?? ''}${this.#standIns.of(text, 'text')}`;
  }

  /** `path` has the names from the top of the body to the value; those of arrays count once. */
  #value(value: unknown, name: string, path: string, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, name, path);
    if (Array.isArray(value)) return value.map(item => this.#value(item, name, path, depth));
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).map(([key, field]) => {
        const name = this.#name(key, path);
        // Of names that are kept or made here: others may look like a path.
        const inner = depth >= DEEPEST ? '…' : path === '' ? name : `${path}.${name}`;
        return [name, this.#value(field, key, inner, depth + 1)] as const;
      });
      return Object.assign(Object.create(null) as object, Object.fromEntries(fields));
    }
    if (value === null || isValue(path, value)) return value;
    return typeof value === 'number' ? this.#standIns.ofNumber(value) : false;
  }

  #name(name: string, path: string): string {
    const isKept = FIELDS.has(name) || (NAME.test(name) && OWN_NAMES.test(path));
    return isKept ? name : this.#standIns.of(name, 'key');
  }

  #text(value: string, name: string, path: string): string {
    // Of an error. Further inside, a code may be an invitation.
    const isCode = path === 'code' && CODE.test(value);
    const isPresence = name === 'status' && PRESENCE.test(value);
    const isKept = DIGITS.test(path) && (TIMES.test(path) ? TIME : /^\d{1,20}$/).test(value);
    if (isCode || isPresence || isKept) return value;
    const isId = name.endsWith('_id') && FIELDS.has(name);
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    return this.#standIns.of(value, kind ?? (isId ? name.slice(0, -3) : 'text'));
  }
}

/** The headers of an answer that are recorded, and what is kept of them. */
export const HEADERS: Readonly<Record<string, RegExp>> = {
  'content-type':
    /^(application\/(problem\+)?(json|xml)|application\/octet-stream|text\/(html|plain|xml))(; ?charset=utf-?8)?$/i,
  date: /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
  'retry-after': /^(\d{1,9}|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT)$/,
  'rvt-ray-id': /^$/,
  server: /^(nginx|cloudflare|envoy|haproxy|caddy|varnish)(\/\d{1,2}(\.\d{1,3}){1,2})?$/i,
  via: /^$/,
};

function decoded(text: string): string {
  return tryOr(() => decodeURIComponent(text), text);
}
