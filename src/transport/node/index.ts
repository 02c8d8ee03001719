/**
 * A transport on `node:http`, for Node only.
 *
 * @module lobby-rx/node
 */

export { fromHttp, type HttpConfig } from './from-http.js';
