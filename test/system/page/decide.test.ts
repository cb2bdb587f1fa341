/**
 * What an approver does at the page, in a real browser: see what waits, approve, deny, change; with the mouse, on a phone, and with the
 * keyboard alone.
 */
import { describeInBrowser } from '../support/browser';
import { eventually } from '../../engine/support/engine';
import { StopRegister } from '../../../src/stop/register';
import { ana, ben, olga, withPage } from './scene';
import { isAsPictured } from './pictures';
import { holdsUp, payment, PHONE, waits } from './support';

describeInBrowser('the page of an approver', (browser) => {
  it('approves one payment, denies one and changes one', () =>
    withPage(browser(), {}, async (scene) => {
      const [first, second, third] = [
        await waits(scene, payment('Acme GmbH', 125_000)),
        await waits(scene, payment('Bolt AG', 9_900)),
        await waits(scene, payment('Cato SE', 70_000)),
      ];
      const opened = await scene.open(ana);
      const { page } = opened;
      const open = async (deed: string) => {
        await page.goto(`${scene.url}/#/`);
        await page.getByRole('link', { name: deed }).click();
        await page.getByRole('heading', { name: 'What will happen' }).waitFor();
      };
      await page.getByRole('link', { name: 'Pay 1250.00 EUR to Acme GmbH.' }).waitFor();
      expect(await page.locator('.row .times').first().innerText()).toMatch(/left\s+waits \d+ s/);
      await page.getByRole('link', { name: 'Pay 700.00 EUR to Cato SE.' }).waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      await holdsUp(opened, 'inbox');
      await isAsPictured(opened, 'inbox');

      await open('Pay 1250.00 EUR to Acme GmbH.');
      expect(await page.locator('.said').innerText()).toContain('acme/rita');
      await page.getByText('No text of outsiders was read before this call was proposed.').waitFor();
      await holdsUp(opened, 'call');
      await isAsPictured(opened, 'call');
      await page.getByRole('button', { name: 'Approve …' }).click();
      await page.getByLabel('Note').fill('Checked against the order.');
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      const ended = await first.turn.result();
      expect(ended.calls[0]!.approval).toMatchObject({ by: ['acme/ana'], decision: 'approve' });

      await open('Pay 99.00 EUR to Bolt AG.');
      await page.getByRole('button', { name: 'Deny …' }).click();
      await page.getByLabel('Why not?').fill('Not due yet.');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      expect((await second.turn.result()).calls[0]!.approval).toMatchObject({ decision: 'deny', note: 'Not due yet.' });

      await open('Pay 700.00 EUR to Cato SE.');
      await page.getByRole('button', { name: 'Change the input …' }).click();
      await page.getByLabel('cents').fill('seventy');
      await page.getByRole('button', { name: 'Send the changed input' }).click();
      await page.getByText('This must be a number').first().waitFor();
      await page.getByLabel('cents').fill('65000');
      await holdsUp(opened, 'change');
      await page.getByRole('button', { name: 'Send the changed input' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      await page.getByRole('link', { name: 'Look at revision 2' }).click();
      await page.getByText('Pay 650.00 EUR to Cato SE.', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'Changed since the revision before' }).waitFor();
      expect(await page.locator('.changes').innerText()).toMatch(/cents[\s\S]*70000[\s\S]*65000/);
      // Who changed it may not approve it.
      await page.getByRole('button', { name: 'Approve …' }).click();
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      // In words, with the digest as the page shows it.
      expect(await page.getByRole('alert').innerText()).toMatch(/somebody else has to decide/);
      expect(await page.getByRole('alert').innerText()).not.toMatch(/[0-9a-f]{64}/);
      await holdsUp(opened, 'refused');
      const other = await scene.open(ben, { viewport: PHONE });
      await other.page.getByRole('link', { name: 'Pay 650.00 EUR to Cato SE.' }).click();
      await other.page.getByRole('button', { name: 'Approve …' }).click();
      await other.page.getByRole('button', { name: 'Approve exactly this' }).click();
      await other.page.getByRole('heading', { name: 'Done' }).waitFor();
      await third.turn.result();
      expect(scene.effects).toEqual([
        { payee: 'Acme GmbH', cents: 125_000, currency: 'EUR' },
        { payee: 'Cato SE', cents: 65_000, currency: 'EUR' },
      ]);

      expect([opened.complaints, opened.foreign, other.complaints]).toEqual([[], [], []]);
    }));

  it('sends nothing if it cannot read whether its person has a passkey', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn } = await waits(scene, payment('Acme GmbH', 125_000));
      const { page } = await scene.open(ana);
      const sent: string[] = [];
      page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
      await page.route('**/v1/passkeys', (route) => route.abort());
      await page.getByRole('link', { name: 'Pay 1250.00 EUR to Acme GmbH.' }).click();
      await page.getByRole('button', { name: 'Approve …' }).click();
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      await page.getByText('Your passkeys cannot be read, and nothing was sent.').waitFor();
      expect(sent.filter((url) => url.includes('/decisions'))).toEqual([]);
      await page.unroute('**/v1/passkeys');
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      expect((await turn.result()).calls[0]!.approval).toMatchObject({ by: ['acme/ana'], decision: 'approve' });
    }));

  it('settles a call in doubt', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn } = await waits(scene, 'send_money {"to":"Acme"}');
      const opened = await scene.open(ana);
      const { page } = opened;
      await page.getByRole('link', { name: /send_money/ }).click();
      await page.getByText('The tool has no preview of what it does.').waitFor();
      await page.getByRole('button', { name: 'Approve …' }).click();
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      await turn.waitForPending();
      await page.goto(`${scene.url}/#/`);
      await page.getByText('in doubt', { exact: true }).waitFor();
      await page.getByRole('link', { name: /send_money/ }).click();
      await page.getByRole('heading', { name: 'What may have happened' }).waitFor();
      await holdsUp(opened, 'in-doubt');
      await page.getByLabel(/It did not take effect/).check();
      await page.getByLabel(/How do you know/).fill('The bank has no such payment.');
      await page.getByRole('button', { name: 'Settle' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      expect((await turn.result()).calls[0]).toMatchObject({ tool: 'send_money', effect: 'not_applied' });
    }));

  it('shows a freeze above every page: a call that is approved meanwhile waits, and runs once an administrator has ended it', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn } = await waits(scene, payment('Acme GmbH', 125_000));
      await new StopRegister(scene.store).freeze({ scope: 'tool', name: 'pay_invoice' }, 'olga', 'The <b>account</b> is wrong.');
      const approver = await scene.open(ana);
      const notice = 'No destructive call of tool pay_invoice runs';
      await approver.page.getByText(notice).waitFor();
      await approver.page.getByText('The <b>account</b> is wrong.').waitFor();
      expect(await approver.page.getByRole('button', { name: 'End the freeze' }).count()).toBe(0);
      await holdsUp(approver, 'frozen');
      await approver.page.getByRole('link', { name: /Acme GmbH/ }).click();
      await approver.page.getByRole('button', { name: 'Approve …' }).click();
      await approver.page.getByRole('button', { name: 'Approve exactly this' }).click();
      await approver.page.getByRole('heading', { name: 'Done' }).waitFor();

      const admin = await scene.open(olga);
      await admin.go(`/turns/${turn.id}`, `Turn ${turn.id}`);
      await admin.page.getByText(/A call waits: tool pay_invoice is frozen/).waitFor();
      expect(scene.effects).toEqual([]);
      await admin.page.getByRole('button', { name: 'End the freeze' }).click();
      await admin.page.getByText('It is done.').first().waitFor();
      await admin.page.getByText(notice).waitFor({ state: 'detached' });
      expect(scene.effects).toHaveLength(1);
      expect([...approver.complaints, ...admin.complaints]).toEqual([]);
    }));

  it('works with the keyboard alone, for one call and for several', () =>
    withPage(browser(), {}, async (scene) => {
      const turns = [];
      for (const payee of ['Acme GmbH', 'Bolt AG', 'Cato SE']) turns.push(await waits(scene, payment(payee, 1_000)));
      const { page } = await scene.open(ana);
      await page.getByRole('link', { name: /Cato SE/ }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      // Who dictates can switch the keys of one character off; the browser keeps it.
      const letters = page.getByLabel('Keys of one character do something');
      await letters.uncheck();
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByRole('link', { name: /Cato SE/ }).waitFor();
      await page.keyboard.type('jx?');
      expect([await page.getByText('1 selected').count(), await letters.count()]).toEqual([0, 0]);
      await page.getByRole('button', { name: 'Keys' }).click();
      await letters.check();
      await page.keyboard.press('Escape');
      await letters.waitFor({ state: 'detached' });
      await page.keyboard.type('jxjx');
      await page.getByText('2 selected').waitFor();
      await page.keyboard.press('a');
      const send = page.getByRole('button', { name: 'Approve 2 calls' });
      await send.waitFor();
      await eventually('both are shown', async () => (await page.locator('.review .deed').count()) === 2);
      expect(scene.effects).toEqual([]);
      await send.focus();
      await page.keyboard.press('Enter');
      await eventually('both are sent', async () => (await page.locator('.review .sent').count()) === 2);
      await page.keyboard.press('Escape');
      await Promise.all(turns.slice(0, 2).map(({ turn }) => turn.result()));
      await eventually('one is left', async () => (await page.locator('.row').count()) === 1);
      await page.keyboard.press('j');
      await page.keyboard.press('d');
      await page.getByLabel('Why not?').fill('Not now.');
      await page.getByRole('button', { name: 'Deny 1 call' }).focus();
      await page.keyboard.press('Enter');
      await turns[2]!.turn.result();
      await page.getByText('Nothing waits for a person.').waitFor();
      expect(scene.effects).toHaveLength(2);
    }));

  it('says when a card has changed while it was open, and decides nothing before it was looked at again', () =>
    withPage(browser(), {}, async (scene) => {
      const { turn, digest } = await waits(scene, payment('Acme GmbH', 1_000));
      const { page } = await scene.open(ana);
      await page.goto(`${scene.url}/#/turns/${turn.id}/calls/${digest}`);
      await page.getByRole('button', { name: 'Approve …' }).click();
      const other = await scene.open(ben);
      await other.page.goto(`${scene.url}/#/turns/${turn.id}/calls/${digest}`);
      await other.page.getByRole('button', { name: 'Change the input …' }).click();
      await other.page.getByLabel('cents').fill('2000');
      await other.page.getByRole('button', { name: 'Send the changed input' }).click();
      await page.getByText('This call has changed: a new revision waits').waitFor();
      expect(await page.getByRole('button', { name: 'Approve exactly this' }).isDisabled()).toBe(true);
      await page.getByRole('link', { name: 'Look at revision 2' }).click();
      await page.getByText('Pay 20.00 EUR to Acme GmbH.', { exact: true }).waitFor();
      await turn.cancel();
    }));
});
