import { AppState } from 'react-native';
import { client, lobbyJoin$ } from './recipe.js';
import { ask } from './ask.js';

// What an app for React Native does: a group, and the lobbies that its player is sent to.
Object.assign(globalThis, { ask, client, lobbyJoin$, AppState });
