/** Tests in a real browser, and the command line beside it: a home folder of its own, with the processes that run there. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults, ImpactValue } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { holdfast, type Holdfast } from './process';
import { findChromium, launchChromium } from './web-ui';

/** Skipped, by name, where there is no Chromium, unless HOLDFAST_REQUIRE_BROWSER=1. */
export function describeInBrowser(name: string, tests: (browser: () => Browser) => void): void {
  const executable = findChromium();
  const required = process.env.HOLDFAST_REQUIRE_BROWSER === '1';
  if (!executable && !required) {
    console.warn(
      `No Chromium: the tests of ${name} are skipped. Install chromium, or name one in HOLDFAST_CHROMIUM; HOLDFAST_REQUIRE_BROWSER=1 makes this a failure.`,
    );
  }
  (executable || required ? describe : describe.skip)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      if (!executable)
        throw new Error('HOLDFAST_REQUIRE_BROWSER=1, but there is no Chromium on the PATH and none named in HOLDFAST_CHROMIUM.');
      browser = await launchChromium(executable);
    });
    afterAll(() => browser?.close());
    tests(() => browser);
  });
}

export class Home {
  private readonly running: Holdfast[] = [];

  private constructor(readonly path: string) {}

  static async make(): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), 'holdfast-web-ui-')));
  }

  /** Begins a command that `remove` ends, if it has not ended by then. */
  start(args: string[], more: NodeJS.ProcessEnv = {}): Holdfast {
    const process = holdfast(this.path, args, more);
    this.running.push(process);
    return process;
  }

  async remove(): Promise<void> {
    for (const process of this.running.splice(0).reverse()) await process.stop();
    await rm(this.path, { recursive: true, force: true });
  }
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** @param impacts only those; absent: all */
export async function violations(page: Page, impacts?: ImpactValue[]): Promise<string[]> {
  // Evaluated over the debugging protocol: the policy of the page does not hold there, and the page itself stays as it is.
  await page.evaluate(AXE);
  const results = (await page.evaluate('axe.run()')) as AxeResults;
  return results.violations
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact ?? null))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' | ')}`);
}

/** How far the page is wider than the window, px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth');
}
