/** What the cookie of a visitor says: the service, and their token. */
export function sessionIn(cookie: string | null): { readonly url: string; readonly token: string } {
  const fields = new Map(cookie?.split('; ').map(pair => pair.split('=') as [string, string]));
  return { url: decodeURIComponent(fields.get('url') ?? ''), token: fields.get('token') ?? '' };
}
