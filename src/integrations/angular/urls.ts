/** The part of the platform's class that is used. */
declare const URL: new (url: string) => { readonly href: string; readonly protocol: string };

/**
 * Whether a link leads to a page. A service that has been taken over must not run scripts in the
 * application.
 */
export function isWebUrl(url: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

/**
 * Whether two URLs are the same. Browsers write some differently from how they were given, and
 * interceptors may shorten them.
 * URLs that cannot be compared, such as a relative one, count as the same.
 */
export function isSameUrl(url: string, other: string): boolean {
  try {
    return url === other || new URL(url).href === new URL(other).href;
  } catch {
    return true;
  }
}
