import {
  eventsWatch,
  getMembers,
  playersConnected,
  playersDisconnected,
  type Service,
} from '../../../endpoint/index.js';
import { Rejection, type Answer } from './call.js';
import { eventsAnswer } from './events-answer.js';
import { membersAnswer } from './members-answer.js';
import { playerConnectedAnswer, playerDisconnectedAnswer } from './players-answers.js';

/** The base URLs of the three services, as `createClient` takes them. */
export interface ServiceUrls {
  readonly groupUrl: string;
  readonly matchmakerUrl: string;
  readonly apiUrl: string;
}

interface Route {
  readonly method: string;
  readonly service: Service;
  /** The path. Its parameters are in braces. */
  readonly path: string;
  readonly answer: Answer;
}

/** The client's endpoints, each with the function that answers it. */
const ROUTES: readonly Route[] = [
  { ...getMembers, answer: membersAnswer },
  { ...playersConnected, answer: playerConnectedAnswer },
  { ...playersDisconnected, answer: playerDisconnectedAnswer },
  { ...eventsWatch, answer: eventsAnswer },
];

/** The URL of each service. The name of the service is the prefix of its path. */
export function serviceUrls(url: string): ServiceUrls {
  const urlOf = (service: Service) => `${url}/${service}`;
  return { groupUrl: urlOf('group'), matchmakerUrl: urlOf('matchmaker'), apiUrl: urlOf('api') };
}

/** The route of a request, and its path parameters. */
export interface RoutedPath {
  readonly answer: Answer;
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a path, with or without the prefix of its service. Throws a {@link Rejection}
 * for an unknown path or method.
 */
export function findRoute(method: string, pathname: string): RoutedPath {
  let allowed: string | undefined;
  for (const route of ROUTES) {
    const path = matchPath(`/${route.service}${route.path}`, pathname) ?? matchPath(route.path, pathname);
    if (!path) continue;
    if (route.method === method) return { answer: route.answer, path };
    allowed ??= route.method;
  }
  if (allowed === undefined) throw new Rejection(404, 'API_NOT_FOUND', 'There is nothing at this path.');
  throw new Rejection(405, 'API_METHOD_NOT_ALLOWED', `The method for this path is ${allowed}.`);
}

/** The decoded parameters of a path. `undefined` if the path does not match the template. */
function matchPath(template: string, path: string): Record<string, string> | undefined {
  const segments = template.split('/');
  const actual = path.split('/');
  if (segments.length !== actual.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined && segment !== actual[i]) return undefined;
    if (name !== undefined) parameters[name] = decode(actual[i] ?? '');
  }
  return parameters;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
