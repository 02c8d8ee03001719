/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly href: string; readonly protocol: string };

/** Whether a link leads to a page. A service that has been taken over must not run scripts in the user's own. */
export function isWebUrl(url: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** Whether two URLs are the same. Browsers write some URLs differently from how they were given. */
export function isSameUrl(url: string, other: string): boolean {
  return url === other || new URL(url).href === new URL(other).href;
}
