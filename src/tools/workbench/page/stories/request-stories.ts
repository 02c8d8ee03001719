import { outcomeOf, topicOf } from '../outcome/index.js';
import { requestInWords } from './request-in-words.js';
import type { Story, StoryData } from './story.js';

/** A story for each request, the newest first. */
export const requestStories = ({
  requests,
  groups,
}: Pick<StoryData, 'requests' | 'groups'>): readonly Story[] =>
  requests
    .map((request): Story => {
      const { id, at, ended_at = at, who, who_id, path, method } = request;
      const words = requestInWords(request);
      const { isTrouble } = outcomeOf(request);
      const step = {
        at: ended_at,
        tone: isTrouble ? 'bad' : 'gone',
        words: `${method} ${path}`,
        short: '',
      } as const;
      return {
        key: `r${id}`,
        kind: 'event',
        at,
        until: ended_at,
        who_id,
        actions: [],
        title: `${who}, ${topicOf(path, groups)}: ${words}`,
        effects: [{ key: who_id, who, who_id, steps: [{ ...step, request }] }],
        end: { tone: step.tone, words },
      };
    })
    .reverse();
