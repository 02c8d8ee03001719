/** Whether a text has no lone surrogate, so that it can be put into a URL. (`String.isWellFormed` is newer than our target.) */
export function isWellFormed(text: string): boolean {
  try {
    encodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
