/** The service and the token: of the cookie in a page, and of the environment on a server. */
const fields: Readonly<Record<string, string | undefined>> =
  typeof document === 'undefined'
    ? { url: process.env['SERVICE_URL'], token: process.env['SERVICE_TOKEN'] }
    : Object.fromEntries(document.cookie.split('; ').map(pair => pair.split('=') as [string, string]));
const token = fields['token'] ?? '';

export const session = {
  url: decodeURIComponent(fields['url'] ?? 'http://127.0.0.1'),
  token,
  renew: () => Promise.resolve(token),
};
