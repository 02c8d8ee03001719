/** What a player sends: a text message, or the bytes of a binary one. */
export type LobbyMessage = string | Uint8Array;
