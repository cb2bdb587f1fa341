/**
 * The pictures of docs/images, in light and dark. Two pictures of one page differ in their pixels, with the fonts of a machine and the
 * times that calls wait. So what a picture shows is compared: each text, about where it stands, and its colours. The description of the
 * committed pictures is in `docs/images/page.json`. If the page shows something else, the test fails, and
 * `HOLDFAST_PICTURES=1` makes the pictures and the description anew; without a change it leaves them as they are.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/named-tests';
import type { OpenPage } from './scene';

const IMAGES = join(ROOT, 'docs/images');
const DESCRIPTIONS = join(IMAGES, 'page.json');
const SCHEMES = ['light', 'dark'] as const;

/** Text, left and upper edge in px, text colour, and colour behind it. */
type Text = [text: string, x: number, y: number, colour: string, behind: string];
type Descriptions = Record<string, Text[]>;

/** @param name of the pictures: `page-<name>-light.png` and `page-<name>-dark.png` */
export async function isAsPictured({ page }: OpenPage, name: string): Promise<void> {
  const committed: Descriptions = existsSync(DESCRIPTIONS) ? JSON.parse(readFileSync(DESCRIPTIONS, 'utf8')) : {};
  for (const colorScheme of SCHEMES) {
    const picture = `page-${name}-${colorScheme}`;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const shown = await textsOf(page);
    const before = committed[picture] ?? [];
    if (process.env.HOLDFAST_PICTURES === '1') {
      if (same(before, shown) && existsSync(join(IMAGES, `${picture}.png`))) continue;
      await page.screenshot({ path: join(IMAGES, `${picture}.png`) });
      committed[picture] = shown;
      writeFileSync(DESCRIPTIONS, printed(committed));
    } else if (!same(before, shown)) {
      const only = (texts: Text[], others: Text[]) => texts.filter((one) => !others.some((other) => same([one], [other])));
      throw new Error(
        [
          `The page shows something else than docs/images/${picture}.png. Run this test with HOLDFAST_PICTURES=1, and commit docs/images.`,
          ...only(before, shown).map((text) => `- ${JSON.stringify(text)}`),
          ...only(shown, before).map((text) => `+ ${JSON.stringify(text)}`),
        ].join('\n'),
      );
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
}

/** Fonts of another machine move a text a little, and more so far down a page. */
function same(before: Text[], now: Text[]): boolean {
  const near = (one: number, other: number) => Math.abs(one - other) <= 24 + 0.1 * one;
  return (
    before.length === now.length &&
    before.every(([text, x, y, ...colours], index) => {
      const [itsText, itsX, itsY, ...itsColours] = now[index]!;
      return text === itsText && near(x, itsX) && near(y, itsY) && colours.join() === itsColours.join();
    })
  );
}

/** A text a line. */
function printed(descriptions: Descriptions): string {
  const pictures = Object.entries(descriptions).toSorted(([one], [other]) => one.localeCompare(other));
  const parts = pictures.map(
    ([name, texts]) => `  "${name}": [\n${texts.map((text) => `    ${JSON.stringify(text)}`).join(',\n')}\n  ]`,
  );
  return `{\n${parts.join(',\n')}\n}\n`;
}

function textsOf(page: OpenPage['page']): Promise<Text[]> {
  // Times and digests differ from run to run.
  return page.evaluate(`(() => {
    const behind = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const { backgroundColor } = getComputedStyle(one);
        if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor;
      }
      return 'none';
    };
    // Only for screen readers, which say what is new: at different times.
    const isTiny = (element) => {
      for (let one = element; one; one = one.parentElement) if (one.clientWidth === 1 || one.offsetWidth === 0) return true;
      return false;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.data.trim().replace(/\\s+/g, ' ');
      const range = document.createRange();
      range.selectNodeContents(node);
      const { x, y, right } = range.getBoundingClientRect();
      if (text === '' || right <= 0 || isTiny(node.parentElement)) continue;
      const lasting = text.replace(/\\b\\d+ (s|min|h)\\b|\\d+ \\w+ 20\\d\\d, \\d+:\\d+|\\b[0-9a-f]{12,64}\\b/g, '…');
      const { color } = getComputedStyle(node.parentElement);
      texts.push([lasting, Math.round(x), Math.round(y + scrollY), color, behind(node.parentElement)]);
    }
    return texts;
  })()`);
}
