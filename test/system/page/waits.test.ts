/** A turn that waits for a call which ends later, and one that sleeps, as their requester follows them on the page. */
import { waitUntil } from '../../../src/agents/wait-until';
import { Bank, settledOn, transfer } from '../../engine/support/bank';
import { describeInBrowser } from '../support/browser';
import { rita, withPage } from './scene';
import { holdsUp } from './support';

const DAY = 86_400_000;

describeInBrowser('a turn that waits', (browser) => {
  it('for a call that ends later says until when, and goes on once it is completed', async () => {
    const bank = new Bank();
    // Without people in between: the tool changes data, and has no effect record.
    await withPage(browser(), { tools: [bank.toolOf('write')] }, async ({ client, url, open }) => {
      const message = `transfer ${JSON.stringify(transfer)}`;
      const turn = await client.start({ agent: 'payables', message, requester: 'acme/rita' });
      const opened = await open(rita);
      const { page } = opened;
      await opened.go(`/turns/${turn.id}`, `Turn ${turn.id}`);
      await page.getByText('waits for a result').first().waitFor();
      await page.getByText(/is pending: somebody else completes it until/).waitFor();
      await holdsUp(opened, 'pending-call');
      await page.getByRole('tab', { name: 'Calls' }).click();
      await page.getByText(/to be completed until/).waitFor();
      expect(await page.locator('body').innerText()).not.toContain(bank.token);

      await page.getByRole('tab', { name: 'What happened' }).click();
      const body = JSON.stringify({ result: settledOn });
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(`${url}${new URL(bank.orders[0]!.url).pathname}`, { method: 'POST', headers, body });
      expect(sent.status).toBe(200);
      await page.getByText('was completed').waitFor();
      await page.getByText('It is done.').first().waitFor();
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    });
  });

  it('until a time says why, as text, and wakes when it is told something', () =>
    withPage(browser(), { tools: [waitUntil({ longestMs: 7 * DAY })] }, async ({ client, open }) => {
      const message = `wait_until ${JSON.stringify({ after: '3 days', reason: 'The <b>bank</b> is closed.' })}`;
      const turn = await client.start({ agent: 'payables', message, requester: 'acme/rita' });
      const opened = await open(rita);
      const { page } = opened;
      await opened.go(`/turns/${turn.id}`, `Turn ${turn.id}`);
      await page.getByText(/The turn sleeps until .*: The <b>bank<\/b> is closed\./).waitFor();
      await holdsUp(opened, 'sleeping-turn');
      await page.getByRole('button', { name: 'Say something …' }).click();
      await page.getByLabel('Message').fill('It is open.');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('It is done.').first().waitFor();
      // What happened comes by events; the page reads the turn again a moment after them.
      await page.getByText(/The turn sleeps until/).waitFor({ state: 'detached' });
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    }));
});
