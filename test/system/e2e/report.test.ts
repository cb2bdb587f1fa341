/** The report as people open it: a file, in a browser, without a network. */
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { parseTrustedKeys } from '../../../src/attestation/trusted-keys';
import { readCaseFile } from '../../../src/audit/case-file';
import { reportComparison, html, report, summarizeVerification, type ReportInput } from '../../../src/audit/report';
import { verifyBundle } from '../../../src/audit/verify';
import { describeInBrowser } from '../support/browser';
import { handBundle, PLAIN_WORDS, type Words } from '../../support/hand-bundle';
import { screenshot } from '../support/web-ui';

const BUNDLES = join(__dirname, '../../bundles');

describeInBrowser('the audit report in a browser', (browser) => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'holdfast-report-'))));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function open(text: string, scheme: 'light' | 'dark' = 'light'): Promise<Opened> {
    const path = join(folder, 'report.html');
    await writeFile(path, text);
    return Opened.open(browser(), pathToFileURL(path).href, scheme);
  }

  it.each(['light', 'dark'] as const)('is readable in %s, and axe finds nothing', async (scheme) => {
    const opened = await open(html(report(await sample('edited'))), scheme);
    await opened.screenshot(`report-${scheme}`);
    expect(await opened.page.locator('h1').textContent()).toMatch(/^Audit report: turn /);
    await opened.openAll();
    expect(await opened.violations()).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    await opened.close();
  });

  it('shows two bundles side by side, and axe finds nothing', async () => {
    const opened = await open(html(reportComparison(await sample('approval'), await sample('edited'))));
    await opened.screenshot('report-two');
    const [left, right] = await Promise.all([0, 1].map((nth) => opened.page.locator('.column').nth(nth).boundingBox()));
    expect(right!.x).toBeGreaterThan(left!.x + left!.width - 1);
    expect(await opened.violations()).toEqual([]);
    await opened.close();
  });

  it('fits a narrow screen', async () => {
    const opened = await open(html(report(await sample('edited'))));
    await opened.page.setViewportSize({ width: 360, height: 740 });
    expect(await opened.overflow()).toBe(0);
    await opened.close();
  });

  it('can be read with the keyboard alone: into the picture, larger and smaller, on to a call, folds open and close', async () => {
    const opened = await open(html(report(await sample('edited'))));
    const { page } = opened;
    const width = async () => (await page.locator('[data-picture] svg').first().boundingBox())!.width;
    const before = await width();
    await page.keyboard.press('Tab');
    expect(await opened.focused()).toBe('To the report');
    await opened.tabTo('Larger');
    await page.keyboard.press('Enter');
    expect(await width()).toBeGreaterThan(before);
    await opened.tabTo('Timeline of turn');
    await page.keyboard.press('-');
    expect(await width()).toBeCloseTo(before, 0);
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    expect(await width()).toBeCloseTo(before, 0);
    await opened.tabTo('1.1 pay');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#s\d+$/);
    const target = page.locator(`[id="${new URL(page.url()).hash.slice(1)}"]`);
    expect(await target.locator('h4').first().textContent()).toMatch(/^Call 1\.1/);
    await opened.tabTo('The card, as it was shown');
    await page.keyboard.press('Enter');
    expect(await page.locator('details[open] > summary', { hasText: 'The card' }).count()).toBe(1);
    await opened.close();
  });

  it('prints everything, also the parts that are folded on the screen', async () => {
    const opened = await open(html(report(await sample('edited'))));
    const pdf = await opened.page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await opened.page.emulateMedia({ media: 'print' });
    await opened.page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await opened.page.locator('details:not([open])').count()).toBe(0);
    await opened.page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    expect(await opened.page.locator('details:not([open])').count()).toBeGreaterThan(0);
    await opened.close();
  });

  it('runs no script, asks for nothing and shows no element of a hostile bundle', async () => {
    const attack = `</title></script><script>document.title='owned'</script><img src="https://evil.example/x.png" onerror="document.title='owned'"><svg onload="document.title='owned'"><style>main{display:none}</style>\u202Egnp.exe`;
    const words = Object.fromEntries(Object.keys(PLAIN_WORDS).map((key) => [key, attack])) as unknown as Words;
    const file = await readCaseFile(handBundle({ ...words, answer: 'y'.repeat(1_000_000) }));
    const opened = await open(html(report({ file, verification: null })));
    await opened.openAll();
    expect(await opened.page.title()).toMatch(/^Audit report/);
    expect(await opened.page.locator('main img, main script, main style').count()).toBe(0);
    expect(opened.requests).toEqual([]);
    expect(opened.complaints).toEqual([]);
    expect(await opened.violations()).toEqual([]);
    // If something gets through after all, the policy stops it.
    const ran = await opened.page.evaluate(`(() => {
      const script = document.createElement('script');
      script.textContent = 'window.slipped = true';
      document.body.append(script);
      return 'slipped' in window;
    })()`);
    expect(ran).toBe(false);
    await opened.close();
  });
});

async function sample(name: string): Promise<ReportInput> {
  const path = join(BUNDLES, `${name}.jsonl`);
  const trust = parseTrustedKeys(await readFile(join(BUNDLES, 'trust.json'), 'utf8'), 'trust.json');
  return {
    file: await readCaseFile(createReadStream(path)),
    verification: summarizeVerification(await verifyBundle(createReadStream(path), trust)),
  };
}

class Opened {
  /** All that the page requested, except itself. */
  readonly requests: string[] = [];
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {}

  static async open(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<Opened> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
    page.setDefaultTimeout(30_000);
    const opened = new Opened(page);
    page.on('request', (request) => void (request.url() === url || opened.requests.push(request.url())));
    page.on('console', (message) => void (message.type() === 'error' && opened.complaints.push(message.text())));
    page.on('pageerror', (error) => void opened.complaints.push(String(error)));
    await page.goto(url);
    return opened;
  }

  screenshot(name: string): Promise<void> {
    return screenshot(this.page, name);
  }

  openAll(): Promise<void> {
    return this.page.evaluate(`document.querySelectorAll('details').forEach((fold) => void (fold.open = true))`);
  }

  /** What axe finds, by rule; it comes in beside the page's own policy. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const found = await this.page.evaluate<AxeResults>('axe.run(document)');
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html: element }) => `${id}: ${element.slice(0, 200)}`));
  }

  /** By how many pixels the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate('Math.max(0, document.documentElement.scrollWidth - innerWidth)');
  }

  focused(): Promise<string> {
    return this.page.evaluate(`document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`);
  }

  async tabTo(label: string): Promise<void> {
    for (let presses = 0; presses < 60; presses++) {
      if ((await this.focused()).startsWith(label)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`Tab never came to ${label}`);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}
