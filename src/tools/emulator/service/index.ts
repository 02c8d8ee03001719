export {
  urlOf,
  type ResponseDelivery,
  type EmulatedRequest,
  type EmulatedResponse,
  type Handler,
} from './handler.js';
export { respond, serviceHeaders } from './respond.js';
export { serviceUrls, type ServiceUrls } from './routes.js';
export {
  serviceOptions,
  serviceSettings,
  type ServiceConfig,
  type ServiceSettings,
} from './service-config.js';
