/** The sign-in of an application: the credentials are the token. */
export async function signIn(credentials: object) {
  const { token } = credentials as { readonly token: string };
  return Promise.resolve({ token, renew: () => Promise.resolve(token) });
}
