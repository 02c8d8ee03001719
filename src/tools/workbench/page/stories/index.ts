export type { Step } from './ends-of.js';
export { requestStories } from './request-stories.js';
export { storiesOf } from './stories-of.js';
export type { Effect, Story } from './story.js';
export { StoryList } from './story-list.js';
export { durationInWords } from './words.js';
