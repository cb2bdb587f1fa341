/**
 * A real OpenID provider (oidc-provider) for tests, as a process: `node oidc-provider.mjs PORT REDIRECT_URI SIGNED_OUT_URI`. Its pages let
 * anyone sign in under any name; who is in which group follows from the name.
 */
import { Provider } from 'oidc-provider';

const [port, redirectUri, signedOutUri] = process.argv.slice(2);
const GROUPS = { ana: ['payments', 'everyone'], ben: ['payments'], kim: ['board'], olga: ['audit'], ivan: ['everyone'] };

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: 'desk',
      client_secret: 'a-secret-of-the-desk',
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [signedOutUri],
    },
  ],
  pkce: { required: () => true },
  scopes: ['openid', 'email', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@bank.example`, email_verified: true, groups: GROUPS[id] ?? [] }),
  }),
  cookies: { keys: ['only for tests'] },
});
provider.listen(Number(port), 'localhost', () => console.log('the provider listens'));
