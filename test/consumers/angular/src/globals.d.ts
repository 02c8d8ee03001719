// The names that the reader of the page is assumed to have, and `url` for its own.
declare const group_id: string;
declare const session: { readonly token: string; readonly renew: () => Promise<string> };
declare const url: string;
declare const identity_id: string;
