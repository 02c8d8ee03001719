export { injectNotifications, type Notifications, type NotificationsConfig } from './notifications.js';
export type { ShownNotification } from './shown-notifications.js';
