export type { Step } from './ends-of.js';
export { requestStories } from './request-stories.js';
export { storiesOf, type Effect, type Story } from './stories-of.js';
export { StoryList } from './story-list.js';
export { inSeconds } from './words.js';
