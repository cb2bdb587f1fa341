/** A turn's page in Temporal's Web UI, driven in a real Chromium as a person would. Tried with Web UI 2.42. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type FrameLocator, type Locator, type Page } from 'playwright-core';
import { onPath } from '../../../src/devserver/on-path';
import { eventually } from '../../engine/support/engine';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** HOLDFAST_CHROMIUM, or a Chromium of the PATH; null when there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  if (env.HOLDFAST_CHROMIUM) return env.HOLDFAST_CHROMIUM;
  return NAMES.map((name) => onPath(name, env)).find((path) => path !== null) ?? null;
}

export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Where screenshots are kept. */
function screenshotFolder(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.HOLDFAST_SCREENSHOTS ?? join(__dirname, '../../../.holdfast/screenshots'));
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshotFolder(), { recursive: true });
  await page.screenshot({ path: join(screenshotFolder(), `${name}.png`) });
}

export interface Offered {
  name: string;
  description: string;
}

export class TurnPage {
  private constructor(
    readonly page: Page,
    private readonly name: string,
  ) {}

  /** Opens the page that the CLI prints. `name` begins the names of the screenshots. */
  static async open(pages: BrowserContext, url: string, name: string): Promise<TurnPage> {
    const page = await pages.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    return new TurnPage(page, name);
  }

  /** The page opened where Current Details are: nobody has to look for them. */
  async isAtDetails(): Promise<void> {
    await this.page.getByText('Current Details').waitFor();
  }

  /** The tab `User Metadata`, where Current Details are. */
  async openDetails(): Promise<void> {
    await this.page
      .getByRole('tab', { name: 'User Metadata' })
      .or(this.page.getByRole('link', { name: 'User Metadata' }))
      .first()
      .click();
    await this.page.getByText('Current Details').waitFor();
  }

  /** Reloads: the page does not follow Current Details by itself. */
  async refresh(): Promise<void> {
    await this.page.reload();
    await this.page.getByText('Current Details').waitFor();
  }

  /** Waits for the card, and reads it. */
  async card(title = /^Waiting for approval/): Promise<Card> {
    await this.details().getByRole('heading', { name: title }).waitFor();
    return new Card(this.details());
  }

  /** The card, once the page shows this on it: reloads until then. */
  async cardThatSays(text: string, title?: RegExp): Promise<Card> {
    return eventually(`the card says "${text}"`, async () => {
      await this.refresh();
      const card = await this.card(title);
      return (await card.text()).includes(text) && card;
    });
  }

  /** Asks the workflow a query in the tab `Queries`; the answer's JSON, as the page shows it. */
  async query(name: string): Promise<string> {
    const details = this.page.url();
    const size = this.page.viewportSize()!;
    // The box draws only the lines that the window has room for, and some of them before the rest.
    await this.page.setViewportSize({ ...size, height: 8_000 });
    await this.page.goto(details.replace(/\/user-metadata.*$|\/metadata.*$/, '/query'));
    await this.page.locator('[data-testid=query-select-button]').click();
    await this.page.getByRole('option', { name }).click();
    await this.page.getByRole('button', { name: 'Run Query' }).click();
    const box = this.page.locator('.cm-content').last();
    const text = await eventually(`query ${name} answered`, async () => {
      const shown = await box.innerText();
      return isJson(shown) && shown;
    });
    await this.page.setViewportSize(size);
    await this.page.goto(details);
    return text;
  }

  /** Current Details once they are no card. */
  async detailsWithoutCard(): Promise<string> {
    const main = this.details().locator('main');
    await main.filter({ hasNotText: 'Waiting for approval' }).waitFor();
    return main.innerText();
  }

  /** Scrolls until the card begins at the top of the window. */
  async scrollToCard(): Promise<void> {
    await this.page.getByText('Current Details').evaluate((title: any) => title.scrollIntoView({ block: 'start' }));
  }

  screenshot(what: string): Promise<void> {
    return screenshot(this.page, `${this.name}-${what}`);
  }

  /** More Actions → Send a Signal. */
  async openSignals(): Promise<SignalDialogue> {
    await this.page.getByRole('button', { name: 'More Actions' }).click();
    await this.page.getByRole('menuitem', { name: 'Send a Signal' }).click();
    const dialogue = this.page.locator('dialog[open]');
    await dialogue.getByText('Send a Signal').waitFor();
    return new SignalDialogue(this.page, dialogue);
  }

  /** The whole of it: open, choose, paste, submit. */
  async sendSignal(name: string, text: string): Promise<void> {
    const dialogue = await this.openSignals();
    await dialogue.choose(name);
    await dialogue.paste(text);
    await dialogue.submit();
  }

  close(): Promise<void> {
    return this.page.close();
  }

  /** The UI renders Summary, Details and Current Details in one frame each; the card stands in the last. */
  private details(): FrameLocator {
    return this.page.locator('iframe[title="output"]').last().contentFrame();
  }
}

/** The approval card, read as it is rendered. */
export class Card {
  constructor(private readonly frame: FrameLocator) {}

  text(): Promise<string> {
    return this.frame.locator('main').innerText();
  }

  /** Something in it that Markdown or HTML could have made of untrusted text. */
  activeElements(): Promise<number> {
    return this.frame.locator('main').locator('a, img, script, iframe, form, input, button, object, svg').count();
  }

  /** Where its links lead, and whether the page lets them lead anywhere. */
  async links(): Promise<{ href: string; target: string }[]> {
    const links = await this.frame.locator('main a').all();
    return Promise.all(
      links.map(async (link) => ({
        href: (await link.getAttribute('href')) ?? '',
        target: (await link.getAttribute('target')) ?? '',
      })),
    );
  }

  /** The headings of its sections, in order. */
  sections(): Promise<string[]> {
    return this.frame.locator('main h3').allInnerTexts();
  }

  /** Pixels by which it is wider than its frame: what a reader would not see. */
  overflow(): Promise<number> {
    return this.frame.locator('html').evaluate((html: any) => html.scrollWidth - html.clientWidth);
  }

  /** The JSON to paste for `approve` or `deny`. */
  paste(signal: string): Promise<string> {
    return this.frame.locator(`p:has(> code:text-is("${signal}")) + pre`).first().innerText();
  }

  /** The text shown for an input field, its long lines put together again. */
  async field(name: string): Promise<string> {
    const block = this.frame.locator(`h3:text-is("Input") ~ p:has(> code:text-is("${name}")) + pre`);
    return unwrapped((await block.textContent()) ?? '');
  }

  /** What will happen, in the tool's words. */
  async preview(): Promise<string> {
    return unwrapped((await this.frame.locator('h3:text-is("What will happen") + pre').textContent()) ?? '');
  }
}

function unwrapped(text: string): string {
  return text.replaceAll('\n↪ ', '').replace(/\n$/, '');
}

export class SignalDialogue {
  constructor(
    private readonly page: Page,
    private readonly dialogue: Locator,
  ) {}

  /** The signals in its list, in order. */
  async offered(): Promise<Offered[]> {
    await this.openList();
    const options = await this.dialogue.getByRole('option').all();
    return Promise.all(
      options.map(async (option) => {
        const [name = '', ...rest] = (await option.innerText()).split('\n').filter((line) => line.trim() !== '');
        return { name: name.trim(), description: rest.join(' ').trim() };
      }),
    );
  }

  async choose(name: string): Promise<void> {
    await this.openList();
    await this.dialogue
      .getByRole('option')
      .filter({ has: this.page.locator(`span:text-is("${name}")`) })
      .click();
  }

  async encode(encoding: 'json/plain' | 'json/protobuf'): Promise<void> {
    await this.dialogue.locator('label', { hasText: encoding }).click();
  }

  async paste(text: string): Promise<void> {
    await this.dialogue.locator('.cm-content').click();
    await this.page.keyboard.insertText(text);
  }

  /** Submits, and waits until the UI has sent it. */
  async submit(): Promise<void> {
    await this.press();
    try {
      await this.dialogue.waitFor({ state: 'detached' });
    } catch (error) {
      throw new Error(`The Web UI did not send the signal; its dialogue says: ${await this.dialogue.innerText()}`, {
        cause: error,
      });
    }
  }

  /** Submits what the UI itself refuses; answers with what it says. */
  async submitRefused(): Promise<string> {
    await this.press();
    const message = this.dialogue.getByText('Input must be valid JSON');
    await message.waitFor();
    return message.innerText();
  }

  async cancel(): Promise<void> {
    await this.dialogue.getByText('Cancel', { exact: true }).click();
    await this.dialogue.waitFor({ state: 'detached' });
  }

  /** Leaves the editor first: it formats its text then, and would move the button away from under a click. */
  private async press(): Promise<void> {
    const submit = this.dialogue.getByRole('button', { name: 'Submit' });
    await submit.focus();
    await submit.click();
  }

  private async openList(): Promise<void> {
    const button = this.dialogue.locator('[data-testid=signal-select-button]');
    if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
    await this.dialogue.getByRole('option').first().waitFor();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
