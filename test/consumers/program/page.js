import { ask } from './ask.js';

globalThis.ask = ask;
