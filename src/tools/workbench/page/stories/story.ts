import type { SeenAction, SeenRequest, WorldView } from '../../world-view.js';
import type { ClientRequests } from '../outcome/index.js';
import type { End, Step } from './ends-of.js';

/** The effect of a story on one client. */
export interface Effect {
  readonly key: string;
  readonly who: string;
  readonly who_id: string;
  /** What it is about, unless that is the live events. */
  readonly topic?: string;
  readonly client?: ClientRequests;
  readonly steps: readonly Step[];
  /** How long it took, in ms. */
  readonly took?: number;
}

/**
 * A cause, its effect on each client that met it, and how it ended. Polls without news are together
 * one `quiet` story.
 */
export interface Story {
  readonly kind: 'you' | 'trouble' | 'event' | 'quiet';
  readonly key: string;
  readonly at: number;
  /** The time of its last step. */
  readonly until: number;
  readonly title: string;
  /** The identity that the story itself is about. */
  readonly who_id?: string;
  readonly actions: readonly SeenAction[];
  readonly effects: readonly Effect[];
  readonly end: End;
}

/** The data from which the stories are made. */
export interface StoryData extends Pick<
  WorldView,
  'groups' | 'identities' | 'now' | 'planned' | 'retention'
> {
  readonly requests: readonly SeenRequest[];
  readonly clients: readonly ClientRequests[];
  readonly actions: readonly SeenAction[];
}
