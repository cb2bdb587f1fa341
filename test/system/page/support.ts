/** What the tests of the page share: turns that wait, and a page that must hold up in every form. */
import type { MessageInput } from '../../../src/shapes/message';
import type { OpenPage, Scene } from './scene';

export function payment(payee: string, cents: number): string {
  return `pay_invoice ${JSON.stringify({ payee, cents, currency: 'EUR' })}`;
}

/** A turn whose call waits. */
export async function waits({ client }: Scene, message: MessageInput) {
  const turn = await client.start({ agent: 'payables', message, requester: 'acme/rita' });
  const [call] = await turn.waitForPending();
  return { turn, digest: call!.digest };
}

export const PHONE = { width: 360, height: 740 };

/** axe finds nothing in light and dark, and nothing is wider than a phone. */
export async function holdsUp(opened: OpenPage, name: string): Promise<void> {
  const { page } = opened;
  const before = page.viewportSize()!;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await opened.screenshot(`${name}-${colorScheme}`);
    expect({ name, colorScheme, violations: await opened.violations() }).toEqual({ name, colorScheme, violations: [] });
  }
  await page.setViewportSize(PHONE);
  await opened.screenshot(`${name}-phone`);
  expect({ name, overflow: await opened.overflow() }).toEqual({ name, overflow: 0 });
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: 'light' });
}
