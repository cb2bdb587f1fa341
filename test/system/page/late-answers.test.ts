/** The page and a gateway that answers late or not at all: what is sent again, and what is read again. */
import type { Route } from 'playwright-core';
import { eventually } from '../../engine/support/engine';
import { describeInBrowser } from '../support/browser';
import { ana, rita, withPage } from './scene';
import { payment, waits } from './support';

const NO_WORKER = { status: 503, json: { error: { reason: 'no_worker', message: 'No worker answers.' } } };

describeInBrowser('a late answer', (browser) => {
  it('is waited for: a page that reads again does not abort the read before', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn, digest } = await waits(scene, payment('Acme GmbH', 125_000));
      const { page } = await scene.open(ana);
      await page.clock.install();
      const reads: Route[] = [];
      await page.route(`**/v1/turns/${turn.id}`, (route) => void reads.push(route));
      await page.goto(`${scene.url}/#/turns/${turn.id}/calls/${digest}`);
      await eventually('the card is read', async () => reads.length > 0);
      // The page looks again every ten seconds.
      await page.clock.fastForward(10_000);
      await reads[0]!.fulfill(NO_WORKER);
      await page.getByText('No worker answers.').waitFor();
      await eventually('the card is read once more', async () => reads.length === 2);
      await reads[1]!.continue();
      await page.getByRole('heading', { name: 'What will happen' }).waitFor();
    }));

  it('that is lost lets a person send the form again as the same operation, until the form has another content', () =>
    withPage(browser(), {}, async (scene) => {
      const opened = await scene.open(rita);
      const { page } = opened;
      const keys: (string | undefined)[] = [];
      await page.route('**/v1/turns', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        keys.push(route.request().headers()['idempotency-key']);
        return keys.length === 4 ? route.continue() : route.fulfill({ status: 502, body: 'Bad gateway' });
      });
      await opened.go('/turns', 'Turns');
      await page.getByRole('button', { name: 'Start a turn …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('payables');
      const send = async (message: string) => {
        const count = keys.length;
        await dialog.getByLabel('Message').fill(message);
        await dialog.getByRole('button', { name: 'Start' }).click();
        await eventually('it is sent', async () => keys.length > count);
      };
      await send('Hello');
      await page.getByText('It is not known whether the request was taken.').waitFor();
      await send('Hello');
      await send('Hello again');
      await send('Hello again');
      await opened.heading(/Turn /);
      const [first, second, third, fourth] = keys;
      expect([second, fourth]).toEqual([first, third]);
      expect(third).not.toBe(first);
    }));
});
