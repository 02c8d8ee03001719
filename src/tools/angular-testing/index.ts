/**
 * The client for the tests of an Angular application, with a service in memory.
 *
 * @module lobby-rx/angular/testing
 */

export { provideLobbyTesting } from './provide-lobby-testing.js';
