/**
 * `GET /sign-in/oidc` and `/sign-in/oidc/callback`: a browser's way to the OpenID provider and back. The second one signs a person in by
 * GET, as the protocol has it: it counts only for the browser that began it, which has the sealed cookie, and once. From here every way
 * leads to the page at HOLDFAST_PUBLIC_URL and nowhere else; what the person wanted to see, the page remembers by itself.
 */
import type { FastifyReply } from 'fastify';
import { openFlow, sealFlow, FLOW_SECONDS } from '../../sign-in/oidc-flow';
import { personOf, type Unfit } from '../../sign-in/oidc-person';
import { ProviderUnreachable, SignInRefusal, type OidcProvider } from '../../sign-in/oidc-provider';
import type { BrowserSignIn } from '../auth/browser-sign-in';
import { sendPlainPage } from '../../page/plain-page';
import type { GatewayParts, Route } from '../route';
import { ATTEMPTS } from './sign-in';

const options = { schema: { hide: true }, config: { roles: 'public', ...ATTEMPTS } } as const;

/** Why nobody was signed in. */
type Fault = Unfit | 'no_provider' | 'unreachable' | 'not_begun_here' | 'refused';

export const oidc: Route = (app, { store, log }) => {
  const browser = app.browserSignIn;
  const provider = browser?.oidc ?? null;
  const key = () => store.derivedKey('sign-in');

  app.get('/sign-in/oidc', options, async ({ headers }, reply) => {
    if (browser === null || provider === null) return explain(reply, 'no_provider');
    const start = await provider.begin(browser.idHashOf(headers), Date.now()).catch(faultOf);
    if ('fault' in start) return faultPage(reply, start.fault, log);
    return reply
      .header('set-cookie', browser.cookies.set('flow', sealFlow(key(), start.flow), FLOW_SECONDS))
      .header('cache-control', 'no-store')
      .redirect(start.url, 303);
  });

  app.get('/sign-in/oidc/callback', { ...options, exposeHeadRoute: false }, async ({ headers, url, ip }, reply) => {
    if (browser === null || provider === null) return explain(reply, 'no_provider');
    const sealed = browser.cookies.read(headers.cookie, 'flow');
    const flow = sealed === null ? null : openFlow(key(), sealed, Date.now());
    void reply.header('set-cookie', browser.cookies.remove('flow'));
    if (flow === null) return explain(reply, 'not_begun_here');
    const query = url.split('?')[1] ?? '';
    const back = await provider.finish(query, flow).then((claims) => ({ claims }), faultOf);
    if ('fault' in back) return faultPage(reply, back.fault, log);
    const person = await personOf(back.claims, provider.settings, { registers: store.registers, word: browser.word });
    if (typeof person === 'string') {
      log.warn({ reason: person, address: ip }, 'sign-in refused');
      return explain(reply, person, await provider.signOutUrl());
    }
    return welcome(reply, browser, { person, provider, replaces: flow.replaces, log });
  });
};

interface Arrival {
  person: Exclude<Awaited<ReturnType<typeof personOf>>, string>;
  provider: OidcProvider;
  replaces: string | null;
  log: GatewayParts['log'];
}

async function welcome(reply: FastifyReply, browser: BrowserSignIn, arrival: Arrival): Promise<FastifyReply> {
  const { person, provider, replaces, log } = arrival;
  const { principal, groups, atMost } = person;
  const proof = { by: 'oidc', issuer: provider.settings.issuer, principal, groups } as const;
  await browser.begin(reply, proof, { idHash: replaces, atMost });
  log.info({ principal, by: 'oidc' }, 'signed in');
  return reply.header('cache-control', 'no-store').redirect(`${browser.publicUrl}/`, 303);
}

type ProviderFault = ProviderUnreachable | SignInRefusal;

/** @throws the error, if it is not about the provider */
function faultOf(error: unknown): { fault: ProviderFault } {
  if (error instanceof ProviderUnreachable || error instanceof SignInRefusal) return { fault: error };
  throw error;
}

function faultPage(reply: FastifyReply, error: ProviderFault, log: GatewayParts['log']): FastifyReply {
  if (error instanceof ProviderUnreachable) {
    const todo = 'Does the OpenID provider of HOLDFAST_OIDC_ISSUER answer, with the client of the settings?';
    log.error({ reason: error.message, todo }, 'the OpenID provider does not answer');
    return explain(reply, 'unreachable');
  }
  log.warn({ reason: error.reason }, 'sign-in refused');
  return explain(reply, 'refused');
}

const AGAIN = 'Begin again on the page.';
const PAGES: Record<Fault, { status: number; title: string; says: string[] }> = {
  no_provider: {
    status: 404,
    title: 'There is no OpenID provider',
    says: ['This gateway has none in its settings (HOLDFAST_OIDC_ISSUER). Sign in with a token.'],
  },
  unreachable: {
    status: 503,
    title: 'The sign-in service does not answer',
    says: ['Try again in a moment. If it stays so, tell the operator of this gateway; its log says more.'],
  },
  not_begun_here: {
    status: 400,
    title: 'This sign-in was not begun here',
    says: [
      'This browser has not begun it, or more than ten minutes ago, or with another sign-in after it. Nobody was signed in.',
      AGAIN,
    ],
  },
  refused: {
    status: 403,
    title: 'You are not signed in',
    says: ['The sign-in service refused, or its answer was not right. Nobody was signed in.', AGAIN],
  },
  no_group: {
    status: 403,
    title: 'You have no role here',
    says: [
      'The sign-in service knows you, but you are in none of the groups that may use this gateway.',
      'Ask the people who look after the groups to add you, and the operator which group it takes (HOLDFAST_OIDC_GROUPS).',
    ],
  },
  no_name: {
    status: 403,
    title: 'You have no name here',
    says: [
      'The sign-in service gave no name that this gateway can use: it is missing, not verified, too long, or has a slash.',
      'Tell the operator of this gateway (HOLDFAST_OIDC_NAME_CLAIM, HOLDFAST_OIDC_TENANT_CLAIM).',
    ],
  },
  name_taken: {
    status: 403,
    title: 'Your name belongs to another account',
    says: [
      'Another account of the sign-in service came here first with the same name. Two accounts must not be one approver.',
      'Tell the operator of this gateway.',
    ],
  },
  other_name: {
    status: 403,
    title: 'Your account had another name',
    says: [
      'Your account came here first with another name than today, and the gateway cannot tell any more whether it is right.',
      'Ask the operator of this gateway to forget your old name (holdfast sign-in forget NAME). Then sign in again.',
    ],
  },
  other_tenant: {
    status: 403,
    title: 'Your account had another tenant',
    says: [
      'Your account came here first with another tenant than today, or with none. A new name at the sign-in service changes nothing.',
      'Ask the operator of this gateway to forget your old name (holdfast sign-in forget NAME). Then sign in again.',
    ],
  },
};

/** @param signOut where to sign out of the provider, for a person who has another account there */
function explain(reply: FastifyReply, fault: Fault, signOut: string | null = null): FastifyReply {
  const { status, title, says } = PAGES[fault];
  const deeper = reply.request.url.split('?')[0]!.endsWith('/callback');
  const link =
    signOut === null
      ? { href: deeper ? '../../' : '../', text: 'Back to the page' }
      : { href: signOut, text: 'Sign out there, to use another account' };
  return sendPlainPage(reply, { status, title, paragraphs: says, link });
}
