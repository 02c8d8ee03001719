/** The three services, each with a base URL of its own (interface document: {group_url}, {matchmaker_url}, {api_url}). */
export type Service = 'group' | 'matchmaker' | 'api';
