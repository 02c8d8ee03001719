/** The addresses of the three services on one host: each under a path of its own. */
export function serviceUrls(host: string): { groupUrl: string; matchmakerUrl: string; apiUrl: string } {
  return { groupUrl: `${host}/group`, matchmakerUrl: `${host}/matchmaker`, apiUrl: `${host}/api` };
}
