export { Clients, NoClient } from './clients.js';
export { clientsOf, type SeenClient } from './clients-of.js';
