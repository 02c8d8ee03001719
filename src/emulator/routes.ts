import type { Observable } from 'rxjs';
import { eventsWatch, getMembers, playersConnected } from '../endpoint/index.js';
import { answerConnected } from './answer-connected.js';
import { answerDisconnected } from './answer-disconnected.js';
import { answerEvents } from './answer-events.js';
import { answerMembers } from './answer-members.js';
import type { Call } from './call.js';
import type { World } from './world.js';

interface Route {
  readonly method: string;
  /** Where it is served; parameters stand in braces. */
  readonly path: string;
  readonly answer: (call: Call, world: World) => Observable<unknown>;
}

/** The endpoints that the client asks, read the other way round; each service lives under a path of its own. */
export const routes: readonly Route[] = [
  { ...getMembers, path: `/group${getMembers.path}`, answer: answerMembers },
  { ...playersConnected, path: `/matchmaker${playersConnected.path}`, answer: answerConnected },
  { method: 'POST', path: '/matchmaker/v1/players/disconnected', answer: answerDisconnected },
  { ...eventsWatch, path: `/api${eventsWatch.path}`, answer: answerEvents },
];
