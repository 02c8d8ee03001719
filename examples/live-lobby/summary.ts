/** What the show counts. */
export interface Summary {
  members: number;
  pages: number;
  profiles: number;
  presences: number;
  chats: number;
  joined: number;
  left: number;
  connected: number;
  refused: number;
  expired: number;
}

export function createSummary(): Summary {
  return {
    ...{ members: 0, pages: 0, profiles: 0, presences: 0, chats: 0 },
    ...{ joined: 0, left: 0, connected: 0, refused: 0, expired: 0 },
  };
}
