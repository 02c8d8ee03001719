declare const btoa: (bytes: string) => string;
declare const atob: (text: string) => string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };

/** Encodes a text in UTF-8 and base64. */
export function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Decodes a text. */
export function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), byte => byte.charCodeAt(0)));
}
