/** The flags that say where the service is; every command that asks it has them. */
export const CONNECTION = {
  'group-url': { type: 'string' },
  'matchmaker-url': { type: 'string' },
  'api-url': { type: 'string' },
  insecure: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
