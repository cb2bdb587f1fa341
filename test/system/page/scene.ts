/** The page over a real gateway, with an agent that does what its message says: turns that wait, in a real browser. */
import type { Approvals } from '../../../src/rules/approvals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { OidcSettings } from '../../../src/config/sign-in';
import { gatewayApp } from '../../../src/gateway/app';
import { Tokens } from '../../../src/gateway/auth/principals';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { defineTool } from '../../../src/tools/define/define';
import type { ScheduleDefinition } from '../../../src/schedules/definition';
import { optional } from '../../../src/shared/json/optional';
import type { Tool } from '../../../src/tools/define/tool';
import type { Budget } from '../../../src/tools/limits/budgets';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { withEngine, type Engine } from '../../engine/support/engine';
import { freePort } from '../../support/free-port';
import { gatewayParts, person, type Person } from '../../support/gateway';
import { PlannedModel } from '../../support/planned-model';
import { ask, say } from '../../support/scripted-model';
import { LIMITS } from '../../support/sign-in';
import { Signers } from '../../support/signers';
import { loses } from '../../support/tools';
import { onTestFileEnd } from '../../support/test-file';
import { overflow, violations } from '../support/browser';
import { screenshot } from '../support/web-ui';

export const rita = person('acme/rita', 'starter');
export const ana = person('acme/ana', 'approver', 'auditor');
export const ben = person('acme/ben', 'approver');
export const olga = person('olga', 'admin', 'auditor');

export interface Scene extends Engine {
  url: string;
  effects: unknown[];
  signers: Signers;
  /** A page on which nobody is signed in. */
  visit(options?: Parameters<Browser['newContext']>[0]): Promise<OpenPage>;
  /** A page on which this person is signed in. */
  open(who: Person, options?: Parameters<Browser['newContext']>[0]): Promise<OpenPage>;
}

const payment = z.object({
  payee: z.string().describe('Who gets the money.'),
  cents: z.number().int().positive().describe('In cents.'),
  currency: z.enum(['EUR', 'USD']),
  reference: z.string().max(140).optional(),
});
type Payment = z.infer<typeof payment>;

export function payTool(effects: unknown[]): Tool {
  return defineTool({
    name: 'pay_invoice',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays one supplier invoice.',
    target: { account: 'DE02 1203 0000 0000 2020 51' },
    input: payment,
    preview: ({ payee, cents, currency }: Payment) => `Pay ${(cents / 100).toFixed(2)} ${currency} to ${payee}.`,
    run: (input: Payment) => {
      effects.push(input);
      return { paid: true };
    },
  });
}

/** The message is the input of the call that the model asks for, behind the name of the tool. */
function scriptOf(message: string) {
  const [, tool = 'pay_invoice', input = '{}'] = /^(\w+) (\{.*\})/s.exec(message) ?? [];
  return [ask([tool, JSON.parse(input)]), say('It is done.')];
}

interface Setup {
  /** Beside `pay_invoice` and `send_money`, which is always lost. */
  tools?: Tool[];
  approvals?: Approvals;
  budgets?: Budget[];
  schedules?: ScheduleDefinition[];
  /** The gateway's key signs no approvals: only what people sign themselves counts. */
  limited?: true;
  /** Where people sign in, for a page at this address. */
  oidc?: (publicUrl: string) => Promise<OidcSettings>;
}

/**
 * A Temporal server for the tests of one file. An inbox shows what waits in its whole namespace: on the server of all tests it would
 * show the calls of others too.
 */
let server: Promise<DevServer> | undefined;
function ownServer(): Promise<DevServer> {
  return (server ??= findTemporalCli().then(({ path }) => startDevServer({ cli: path, port: 0, headless: true })));
}
onTestFileEnd(async () => (await server)?.stop());

const ONE_PERSON: Approvals = { tools: { pay_invoice: { quorum: 1 } } };

export async function withPage(browser: Browser, setup: Setup, body: (scene: Scene) => Promise<void>): Promise<void> {
  const { tools = [], approvals = ONE_PERSON, budgets = [], schedules, limited, oidc } = setup;
  const signers = new Signers();
  if (limited) signers.change(signers.gateway, { decides: false });
  const effects: unknown[] = [];
  const app = defineApp({
    agents: [
      defineAgent({
        name: 'payables',
        prompt: 'Pay due invoices.',
        tools: [payTool(effects), loses('send_money'), ...tools],
        approvals,
        budgets,
      }),
    ],
    ...optional({ schedules }),
  });
  const signingKey = await signers.file(signers.gateway);
  const settings = { approvals: 'attested' as const, trust: signers.trust, signingKey };
  const pages: BrowserContext[] = [];
  const { address } = await ownServer();
  await withEngine({ app, model: new PlannedModel(scriptOf), settings, signingKey, address }, async (engine) => {
    const people = [rita, ana, ben, olga];
    const tokens = new Tokens(people.map(({ entry }) => entry));
    const url = `http://localhost:${await freePort()}`;
    const signIn = { tokens, ...LIMITS, oidc: oidc === undefined ? null : await oidc(url) };
    const catalogue = async () => catalogueOf(app);
    const more = {
      store: engine.store,
      key: signers.gateway,
      client: async () => engine.client,
      catalogue,
      signIn,
      publicUrl: url,
      trustedKeys: signers.trusted,
    };
    const gateway = gatewayApp(gatewayParts({ people, ...more }));
    await gateway.listen({ host: '127.0.0.1', port: Number(new URL(url).port) });
    const visit: Scene['visit'] = async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: 'en-GB', ...options });
      pages.push(context);
      return OpenPage.open(context, url);
    };
    const open: Scene['open'] = async (who, options) => {
      const opened = await visit(options);
      await opened.signIn(who);
      return opened;
    };
    try {
      await body({ ...engine, url, effects, signers, visit, open });
    } catch (error) {
      throw await withTexts(error, pages);
    } finally {
      await Promise.all(pages.map((context) => context.close()));
      await engine.client.inbox.close();
      await gateway.close();
      signers.remove();
    }
  });
}

/** The error, and what each page shows at that moment. */
async function withTexts(error: unknown, contexts: BrowserContext[]): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const texts = contexts.flatMap((context) => context.pages()).map((page) => page.locator('body').innerText({ timeout: 5_000 }));
  for (const text of await Promise.allSettled(texts))
    error.message += `\nA page shows:\n${text.status === 'fulfilled' ? text.value.slice(0, 2_000) : String(text.reason)}`;
  return error;
}

/** A page that is watched: whatever a script that should not run could do is noticed. */
export class OpenPage {
  /** Violations of the content security policy, errors of scripts, dialogues. */
  readonly complaints: string[] = [];
  /** Requests to other places than the gateway. */
  readonly foreign: string[] = [];

  private constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  static async open(context: BrowserContext, url: string): Promise<OpenPage> {
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const opened = new OpenPage(page, url);
    page.on('console', (message) => void (message.type() === 'error' && opened.complain(message.text())));
    page.on('pageerror', (error) => void opened.complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      opened.complaints.push(`dialogue: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => void (request.url().startsWith(url) || opened.foreign.push(request.url())));
    await page.addInitScript(
      `document.addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective, event.blockedURI));`,
    );
    await page.goto(`${url}/`);
    return opened;
  }

  /** An answer that is no success is no fault of the page; Chromium writes it to the console. */
  private complain(text: string): void {
    if (!/^Failed to load resource: the server responded with a status of/.test(text)) this.complaints.push(text);
  }

  async signIn({ token }: Person): Promise<void> {
    await this.page.getByLabel('Token').fill(token);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.locator('#navigation').waitFor({ state: 'attached' });
  }

  /** @param place behind `#` */
  async go(place: string, heading: string | RegExp): Promise<void> {
    await this.page.goto(`${this.url}/#${place}`);
    await this.heading(heading);
  }

  heading(name: string | RegExp): Promise<void> {
    return this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  violations(): Promise<string[]> {
    return violations(this.page);
  }

  /** How far the page is wider than the window, px. */
  overflow(): Promise<number> {
    return overflow(this.page);
  }

  screenshot(name: string): Promise<void> {
    return screenshot(this.page, `page-${name}`);
  }
}
