export { fromHttp, type HttpConfig } from './from-http.js';
