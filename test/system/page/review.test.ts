/** Several calls decided at once: the review shows what the page of each call shows, and stops when it is told to. */
import type { Page, Route } from 'playwright-core';
import { eventually } from '../../engine/support/engine';
import { describeInBrowser } from '../support/browser';
import { ana, ben, withPage } from './scene';
import { holdsUp, payment, waits } from './support';

const ACCOUNT = 'DE02 1203 0000 0000 2020 51';

/** Selects the first two calls, and opens their review. */
async function review(page: Page): Promise<void> {
  await eventually('both wait', async () => (await page.locator('.row').count()) === 2);
  await page.keyboard.type('jxjx');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('a');
}

describeInBrowser('the review of several calls', (browser) => {
  it('shows what the page of each call shows: target, change, rule and decisions', () =>
    withPage(browser(), { approvals: { tools: { pay_invoice: { quorum: 2 } } } }, async (scene) => {
      const { turn, digest } = await waits(scene, payment('Acme GmbH', 125_000));
      await waits(scene, payment('Bolt AG', 9_900));
      const editor = await scene.open(ben);
      await editor.go(`/turns/${turn.id}/calls/${digest}`, /pay_invoice/);
      await editor.page.getByRole('button', { name: 'Change the input …' }).click();
      await editor.page.getByLabel('cents').fill('99000');
      await editor.page.getByRole('button', { name: 'Send the changed input' }).click();
      await editor.page.getByRole('heading', { name: 'Done' }).waitFor();
      const opened = await scene.open(ana);
      const { page } = opened;
      await page.getByRole('link', { name: 'Pay 990.00 EUR to Acme GmbH.' }).waitFor();
      await review(page);
      const cards = page.locator('.review .card');
      await eventually('both are shown', async () => (await cards.count()) === 2);
      const changed = cards.filter({ hasText: 'Pay 990.00 EUR to Acme GmbH.' });
      await changed.getByRole('heading', { name: 'Changed since the revision before' }).waitFor();
      for (const card of await cards.all()) {
        const text = await card.innerText();
        for (const part of ['Acts on', ACCOUNT, 'What it needs', 'signed decisions only', 'Decisions so far'])
          expect(text).toContain(part);
      }
      await holdsUp(opened, 'review');
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    }));

  it('shows the Markdown of a card whose facts cannot be read, and does not say that the tool has no preview', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn } = await waits(scene, payment('Acme GmbH', 125_000));
      await waits(scene, payment('Bolt AG', 9_900));
      const opened = await scene.open(ana);
      const { page } = opened;
      await page.route(`**/v1/turns/${turn.id}`, async (route) => {
        const response = await route.fetch();
        const view = (await response.json()) as { waiting: { card: Record<string, unknown> }[] };
        for (const { card } of view.waiting) {
          for (const fact of ['input', 'will_happen', 'acts_on', 'words', 'held', 'requester', 'makers']) delete card[fact];
          card.incomplete = 'The store cannot tell: it is away.';
        }
        await route.fulfill({ response, json: view });
      });
      await review(page);
      const card = page.locator('.review .card').filter({ hasText: 'it is away' });
      await card.getByText('The preview cannot be read.').waitFor();
      expect(await card.locator('.markdown').innerText()).toContain('Pay 1250.00 EUR to Acme GmbH.');
      expect(await card.innerText()).not.toContain('no preview');
    }));

  it.each(['Stop', 'Close', 'Escape'])('sends nothing more after %s, and stays open with what was sent and what was not', (way) =>
    withPage(browser(), {}, async (scene) => {
      for (const payee of ['Acme GmbH', 'Bolt AG']) await waits(scene, payment(payee, 1_000));
      const { page } = await scene.open(ana);
      const decisions: Route[] = [];
      await page.route('**/decisions', (route) => void decisions.push(route));
      await review(page);
      await page.getByRole('button', { name: 'Approve 2 calls' }).click();
      await eventually('the first is sent', async () => decisions.length > 0);
      if (way === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('dialog').getByRole('button', { name: way }).click();
      await page.getByText('Stopping …').waitFor();
      // At the third Escape the browser closes a dialogue without asking the page.
      if (way === 'Escape') for (let count = 2; count <= 4; count += 1) await page.keyboard.press('Escape');
      await decisions[0]!.continue();
      await page.getByText('nothing was sent for it').waitFor();
      expect(await page.locator('.review .sent').innerText()).toContain('approved');
      expect(decisions).toHaveLength(1);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await eventually('one is left', async () => (await page.locator('.row').count()) === 1);
    }),
  );
});
