import type { IdentityHandle, LobbyJoin, Notification, Profile } from 'lobby-rx';

// Payloads with every field of the interface document.

export const notification: Notification = {
  title: 'Grace',
  description: 'Are you coming?',
  thumbnail_url: 'https://assets.example/avatars/2.png',
  url: 'https://hub.example/threads/1',
};

const game = {
  game_id: 'game-1',
  name_id: 'towers',
  display_name: 'Towers',
  banner_url: 'https://assets.example/banner.png',
  logo_url: 'https://assets.example/logo.png',
};

export const profile: Profile = {
  identity_id: 'identity-1',
  display_name: 'Ada',
  account_number: 1815,
  avatar_url: 'https://assets.example/avatars/1.png',
  bio: 'Analyst.\nMetaphysician.',
  join_ts: '2026-01-01T00:00:00Z',
  external: { profile: 'https://hub.example/ada', settings: 'https://hub.example/settings' },
  is_registered: true,
  is_admin: false,
  following: true,
  is_following_me: true,
  is_mutual_following: true,
  follower_count: 12,
  following_count: 3,
  games: [
    {
      game,
      stats: [
        {
          config: {
            record_id: 'record-1',
            icon_id: 'icon-1',
            display_name: 'Wins',
            aggregation: 'sum',
            format: 'integer',
            sorting: 'desc',
            priority: 1,
            prefix_singular: '',
            prefix_plural: '',
            postfix_singular: ' win',
            postfix_plural: ' wins',
          },
          overall_value: 41.5,
        },
      ],
    },
  ],
  groups: [
    {
      group: {
        group_id: 'group-1',
        display_name: 'Engine',
        external: { profile: 'https://hub.example/groups/1' },
        avatar_url: 'https://assets.example/group.png',
        is_developer: false,
      },
    },
  ],
  linked_accounts: [{ access_token: { name: 'console' }, email: { email: 'ada@example.com' } }],
  awaiting_deletion: false,
  is_game_linked: true,
  presence: {
    status: 'online',
    update_ts: '2026-11-20T12:00:00Z',
    game_activity: {
      game,
      message: 'Level 3',
      mutual_metadata: { party: ['x'] },
      public_metadata: {},
    },
  },
};

export const handle: IdentityHandle = {
  identity_id: 'identity-1',
  display_name: 'Ada',
  account_number: 1815,
  avatar_url: 'https://assets.example/avatars/1.png',
  is_registered: true,
  external: { profile: 'https://hub.example/ada', settings: 'https://hub.example/settings' },
  presence: profile.presence,
};

export const lobbyJoin: LobbyJoin = {
  lobby: { lobby_id: 'lobby-1', region: { region_id: 'fra', display_name: 'Frankfurt' } },
  player: { token: 'player.0123456789abcdef' },
  ports: {
    default: { hostname: 'fra.lobby.example', host: 'fra.lobby.example:443', port: 443, is_tls: true },
    voice: {
      hostname: 'fra.lobby.example',
      host: null,
      port: null,
      is_tls: true,
      port_range: { min: 26000, max: 26010 },
    },
  },
};
