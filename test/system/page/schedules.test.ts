/** The pages of schedules, as an operator uses them. */
import { describeInBrowser } from '../support/browser';
import { ana, olga, withPage } from './scene';
import { holdsUp, payment } from './support';

const MORNING = {
  ...{ name: 'morning', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', agent: 'payables', message: payment('Bolt AG', 9_900) },
  budget: { windowMs: 86_400_000, costUsd: 5 },
};

describeInBrowser('the schedules', (browser) => {
  it('show when they run and how it went, and are paused, resumed and run by an administrator', () =>
    withPage(browser(), { schedules: [MORNING] }, async (scene) => {
      const { schedules } = scene.client;
      const admin = await scene.open(olga);
      const { page } = admin;
      await page.getByRole('link', { name: 'Schedules' }).click();
      await page.getByRole('heading', { name: 'Schedules' }).waitFor();
      await page.getByText('at 07:00 on Mon-Fri, Europe/Berlin').waitFor();
      await holdsUp(admin, 'schedules');
      await page.getByRole('link', { name: 'morning' }).click();
      await page.getByRole('heading', { name: 'Schedule morning' }).waitFor();
      await page.getByText('It has not fired yet.').waitFor();
      await page.getByRole('button', { name: 'Pause …' }).click();
      await page.getByLabel('Why (for people; your name is added)').fill('The <b>bank</b> is closed.');
      await holdsUp(admin, 'schedule-pause');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('The <b>bank</b> is closed. (paused by olga)').waitFor();
      await page.getByRole('button', { name: 'Run now' }).click();
      const turn = page.getByRole('link', { name: /^morning-\d{8}T\d{6}Z$/ });
      await turn.waitFor();
      await page.getByText('waits for approval').waitFor();
      await holdsUp(admin, 'schedule');
      await page.getByRole('button', { name: 'Resume …' }).click();
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      await page.getByText('resumed by olga').waitFor();
      const { turn_id } = (await schedules.show('morning')).firings[0]!;
      await turn.click();
      await page.getByRole('heading', { name: `Turn ${turn_id}` }).waitFor();
      expect([admin.complaints, admin.foreign]).toEqual([[], []]);
      // Of a tenant: schedules are the operator's.
      const approver = await scene.open(ana);
      await approver.page.getByRole('navigation', { name: 'Pages' }).waitFor();
      expect(await approver.page.getByRole('link', { name: 'Schedules' }).count()).toBe(0);
      await schedules.delete('morning');
      const waiting = scene.client.turn(turn_id);
      await waiting.cancel();
      await waiting.result();
    }));
});
