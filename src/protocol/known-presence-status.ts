/** The presence states that deployed servers were seen to send. */
export type KnownPresenceStatus = 'online' | 'away' | 'offline';
