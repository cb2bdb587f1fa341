/** A new approver at the page: signs in at the organisation's provider, and registers a passkey that an operator enrols. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import type { OidcSettings } from '../../../src/config/sign-in';
import type { PasskeyView } from '../../../src/shapes/passkey';
import { freePort } from '../../support/free-port';
import { startProvider } from '../support/desk';
import { holdfast, type Holdfast } from '../support/process';
import { olga, type OpenPage, type Scene } from './scene';

const GROUPS = new Map([
  ['payments', ['approver', 'treasurer']],
  ['board', ['approver', 'cfo']],
]);

/** The provider of an organisation, and the settings of a gateway whose people sign in there. */
export class Organisation {
  private provider: Holdfast | null = null;

  private constructor(private readonly home: string) {}

  static async make(): Promise<Organisation> {
    return new Organisation(await mkdtemp(join(tmpdir(), 'holdfast-people-')));
  }

  readonly oidc = async (publicUrl: string): Promise<OidcSettings> => {
    const port = await freePort();
    this.provider = await startProvider(this.home, port, publicUrl);
    return {
      issuer: `http://localhost:${port}`,
      clientId: 'desk',
      clientSecret: 'a-secret-of-the-desk',
      groups: GROUPS,
      groupsClaim: 'groups',
      nameClaim: null,
      tenantClaim: null,
      scopes: 'openid email groups',
    };
  };

  /** What an operator runs: `holdfast keys …` against the gateway. */
  async keys<T>(scene: Scene, ...args: string[]): Promise<T> {
    const env = { HOLDFAST_GATEWAY_URL: scene.url, HOLDFAST_TOKEN: olga.token };
    const command = holdfast(this.home, ['keys', ...args, '--json'], env);
    if ((await command.ended) !== 0) throw new Error(command.output());
    return JSON.parse(command.stdout()) as T;
  }

  async close(): Promise<void> {
    await this.provider?.stop();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Signs in with the organisation, as somebody who comes for the first time; the browser has an authenticator of its own. */
export async function arrive(scene: Scene, name: string, options: BrowserContextOptions): Promise<OpenPage> {
  const opened = await scene.visit(options);
  const { page } = opened;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: /sign-in/i }).click();
  await page.getByRole('button', { name: /continue/i }).click();
  await page.waitForURL(`${scene.url}/`);
  await page.locator('#navigation').waitFor({ state: 'attached' });
  // The provider's pages are its own affair.
  for (const seen of [opened.foreign, opened.complaints]) seen.length = 0;
  return opened;
}

/** Registers a passkey on the page of the person; it waits for its enrolment. */
export async function registersPasskey({ page, url }: OpenPage): Promise<void> {
  await page.goto(`${url}/#/me`);
  await page.getByRole('button', { name: 'Register a passkey' }).click();
  await page.getByText('waits for enrolment').waitFor();
}

/** Enrols each one's passkey, after comparing the fingerprint that its person sees. @returns the ids by names */
export async function enrols(
  organisation: Organisation,
  scene: Scene,
  people: { principal: string; role: string; at: OpenPage }[],
): Promise<Record<string, string>> {
  const key = await scene.signers.file(scene.signers.enroller(['treasurer', 'cfo']));
  const waiting = await organisation.keys<PasskeyView[]>(scene, 'passkeys', '--waiting');
  expect(waiting.map(({ principal }) => principal).sort()).toEqual(people.map(({ principal }) => principal).sort());
  const enrolled = people.map(async ({ principal, role, at }) => {
    const { id, fingerprint } = waiting.find((one) => one.principal === principal)!;
    await at.page.getByText(fingerprint).waitFor();
    await organisation.keys(scene, 'enroll', id, '--key', key, '--role', role);
    return [principal, id] as const;
  });
  return Object.fromEntries(await Promise.all(enrolled));
}
