import { readOr, type Guard } from '../../../error/index.js';
import { StandIns } from './stand-ins.js';

/** What is in these is never kept. */
const SECRET = /token|secret|passw|key|cookie|authorization|credential/i;

/** Names of fields, as services and games choose them. Anything else may be what somebody has typed. */
const NAME = /^[a-z]+(_[a-z]+)*$/;
const LONGEST_NAME = 40;

/** Deeper inside, paths have the same end. */
const LONGEST_PATH = 200;

/** The fields of the service with a number or a boolean that says nothing of a person, and those that decide what a watch does. */
const VALUES =
  /^(ts|\w+_ts|is_\w+|following|awaiting_deletion|\w+_count|priority|overall_value|port|min|max|metadata)$/;

/** A code of an error. */
const CODE = /^(?=.{1,60}$)[A-Z]+(_[A-Z]+)*$/;

/** A text in which something is called a secret: in a URL, or in JSON. */
const NAMED_SECRET = new RegExp(`(${SECRET.source})[\\w-]*["']?\\s*[=:]`, 'i');

/** The presences that are known. */
const PRESENCES: readonly string[] = ['online', 'away', 'offline', 'dnd'];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether it is a number or a boolean of the service. A time is in ms; a number that is no time may be large for a person only. */
function isValue(name: string, value: unknown): boolean {
  if (!VALUES.test(name)) return false;
  if (typeof value !== 'number') return true;
  const isTime = /(^|_)ts$|^metadata$/.test(name);
  return isTime ? value > 1e12 && value < 1e13 : !name.startsWith('is_') && Math.abs(value) <= 1e6;
}

/** The path and the query of a URL. */
export function partsOf(url: string): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(url) ?? [];
  return { path, query };
}

/** Whether a segment of a path is one of the service's own. All others are ids. */
export const isSegment = (text: string): boolean => SEGMENT.test(text);

const SEGMENT =
  /^(v\d{1,2}|api|group|groups|members|identity|events|live|matchmaker|players|connected|disconnected)$/;

/** The brackets, strings, numbers and words of JSON, even if it is cut off; a string with a colon is a key. */
const TOKEN = /[[\]{}]|("[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$))(\s*:)?|-?\d[\d.eE+-]*|[^[\]{}",:\s\d-]+/g;

/** The names of the fields to keep: more than what a replay needs. */
export const keepList: Guard<readonly string[]> = {
  name: 'a list of names of fields, or of paths to them, none of which has secrets',
  is: (u): u is readonly string[] =>
    Array.isArray(u) && u.every(name => typeof name === 'string' && name !== '' && !SECRET.test(name)),
};

/** Keeps of a recording what a replay needs, and puts stand-ins in place of all else. */
export class Kept {
  readonly #standIns = new StandIns();
  /** Whether each name of a field says that it has a secret. */
  readonly #secretNames = new Map<string, boolean>();
  readonly #keep: readonly string[];

  constructor(keep: readonly string[]) {
    this.#keep = keep;
  }

  /** The bearer of a request. */
  secret(text: string | undefined): void {
    if (text) this.#standIns.ofSecret(text);
  }

  /** An URL: the shape of its path, the names of its query, indexes and counts. */
  url(url: string): string {
    const { path, query } = partsOf(url);
    const segments = path.split('/').map(segment => {
      const text = decoded(segment);
      return text === '' || SEGMENT.test(text) ? text : this.#standIns.of(text, 'id');
    });
    const parameters = query
      .split('&')
      .filter(Boolean)
      .map(parameter => {
        const [name = '', value = ''] = parameter.split(/=(.*)/s).map(decoded);
        const isSecret = SECRET.test(name);
        const kept =
          name === 'count' && /^\d{1,9}$/.test(value) ? value : this.#text(value, name, isSecret, '');
        return `${this.#name(name, isSecret)}=${encodeURIComponent(kept)}`;
      });
    return `https://service.example${segments.join('/')}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`;
  }

  /** A header of an answer. */
  header(name: string, value: string): string {
    const isKept = HEADERS[name]?.test(value) === true && !this.#standIns.hasSecret(value);
    return isKept ? value : this.#standIns.of(value, name === 'rvt-ray-id' ? 'ray' : 'text');
  }

  /** A body. JSON keeps its shape, even if it is malformed. */
  body(text: string): string {
    const secrets = this.#standIns.secretCount;
    const shown = this.#shown(text);
    // What was said before the field that shows that it is a secret is looked at again.
    return this.#standIns.secretCount > secrets ? this.#shown(text) : shown;
  }

  #shown(text: string): string {
    if (text.trim() === '') return text;
    const value = readOr(INVALID, () => JSON.parse(text) as unknown);
    if (value !== INVALID) {
      // Deeper than the stack is.
      const shown = readOr(undefined, () => JSON.stringify(this.#value(value, '', false, '')));
      if (shown !== undefined) return shown;
    }
    if (/^\s*</.test(text)) return `<!doctype html><title>${this.#standIns.of(text, 'page')}</title>`;
    return /^\s*[[{"]/.test(text) ? this.#tokens(text) : this.#standIns.of(text, 'text');
  }

  #value(value: unknown, name: string, isSecret: boolean, path: string): unknown {
    if (typeof value === 'string') return this.#text(value, name, isSecret, path);
    if (Array.isArray(value)) return value.map(item => this.#value(item, name, isSecret, path));
    if (typeof value !== 'object' || value === null) return this.#plain(value, name, isSecret, path);
    const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [key, field] of Object.entries(value)) {
      const inside = path === '' ? key : path.length > LONGEST_PATH ? path : `${path}.${key}`;
      shown[this.#name(key, isSecret)] = this.#value(field, key, isSecret || this.#isSecret(key), inside);
    }
    return shown;
  }

  #isSecret(name: string): boolean {
    const known = this.#secretNames.get(name) ?? SECRET.test(name);
    if (this.#secretNames.size < 1_000) this.#secretNames.set(name, known);
    return known;
  }

  #name(name: string, isSecret: boolean): string {
    const isKept =
      !isSecret && name.length <= LONGEST_NAME && NAME.test(name) && !this.#standIns.hasSecretWord(name);
    return isKept ? name : this.#standIns.of(name, 'key');
  }

  /** A number, a boolean or null. */
  #plain(value: unknown, name: string, isSecret: boolean, path: string): unknown {
    if (value === null || (!isSecret && (isValue(name, value) || this.#isKept(name, path)))) return value;
    return typeof value === 'number' ? this.#standIns.ofNumber(value) : false;
  }

  #text(value: string, name: string, isSecret: boolean, path: string): string {
    if (isSecret) return this.#standIns.ofSecret(value);
    switch (name) {
      case 'index':
      case 'watch_index':
      case 'anchor':
        return /^\d{1,20}$/.test(value) && !this.#standIns.hasSecret(value)
          ? value
          : this.#standIns.of(value, name === 'anchor' ? 'anchor' : 'index');
      case 'code':
        // Of an error. Further inside, it may be an invitation.
        if (path === name && CODE.test(value) && !this.#standIns.hasSecret(value)) return value;
        break;
      case 'status':
        if (PRESENCES.includes(value)) return value;
        break;
      case 'ray_id':
        return this.#standIns.of(value, 'ray');
      case 'hostname':
        return this.#standIns.of(value, 'host');
    }
    if (name.endsWith('ts') && /^(ts|\w+_ts)$/.test(name) && TIME.test(value)) return value;
    const isKept = this.#isKept(name, path) && !NAMED_SECRET.test(value);
    if (isKept && ![value, decoded(value)].some(text => this.#standIns.hasSecret(text))) return value;
    const isId = name.endsWith('_id') && this.#name(name, false) === name;
    return this.#standIns.of(value, isId ? name.slice(0, -3) : 'text');
  }

  #isKept(name: string, path: string): boolean {
    return (
      this.#keep.length > 0 &&
      this.#keep.some(keep => keep === name || path === keep || path.endsWith(`.${keep}`))
    );
  }

  /** JSON that cannot be read, or is too deep: token by token. It cannot be read at the same one then. */
  #tokens(text: string): string {
    /** Whether each array or object that is open is in a field with secrets. */
    const open: boolean[] = [];
    let name = '';
    return text.replace(TOKEN, (token, literal?: string, colon?: string) => {
      const isSecret = open.at(-1) === true || SECRET.test(name);
      if (/^[[\]{}]/.test(token)) {
        if (token === '{' || token === '[') open.push(isSecret);
        else open.pop();
        name = '';
        return token;
      }
      if (literal === undefined) return this.#word(token, name, isSecret);
      const value = readOr(undefined, () => JSON.parse(literal) as string);
      if (colon !== undefined) {
        name = value ?? '';
        return `${JSON.stringify(this.#name(value ?? literal, open.at(-1) === true))}${colon}`;
      }
      const shown = JSON.stringify(this.#text(value ?? literal, name, isSecret, ''));
      if (value !== undefined) return shown;
      // It is not closed, or has an escape or a character that is none of JSON.
      return literal.length > 1 && literal.endsWith('"') ? `${shown.slice(0, -1)}\\q"` : shown.slice(0, -1);
    });
  }

  #word(token: string, name: string, isSecret: boolean): string {
    if (['true', 'false', 'null'].some(word => word.startsWith(token))) return token;
    const value = readOr(undefined, () => JSON.parse(token) as unknown);
    if (typeof value === 'number') return String(this.#plain(value, name, isSecret, ''));
    return /^[-\d]/.test(token) ? '01' : '?';
  }
}

const INVALID = {};

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
  return readOr(text, () => decodeURIComponent(text));
}
