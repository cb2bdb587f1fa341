/** A question of the model is answered at the page; a call in doubt shows what its probe saw; a card says which rule by input applies. */
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define/define';
import { askPerson } from '../../../src/tools/people/ask-person';
import { eventually } from '../../engine/support/engine';
import { describeInBrowser } from '../support/browser';
import { ana, olga, withPage } from './scene';
import { holdsUp, payment, waits } from './support';

/** Its line breaks, and its probe cannot tell what became of the call. */
const wires = defineTool({
  name: 'wire_money',
  version: '1.0.0',
  class: 'destructive',
  description: 'Sends money by wire.',
  input: z.object({ to: z.string() }),
  reconcile: () => ({ outcome: 'unknown' as const, evidence: 'The bank lists a wire of this morning, without its recipient.' }),
  reconcileMs: 5000,
  run: () => Promise.reject(new Error('The line broke.')),
});

describeInBrowser('questions at the page', (browser) => {
  it('are answered by a choice, by a form and by a text', () =>
    withPage(browser(), { tools: [askPerson()] }, async (scene) => {
      const schema = {
        type: 'object',
        properties: { account: { type: 'string', maxLength: 40 }, day: { type: 'integer', minimum: 1, maximum: 31 } },
        required: ['account', 'day'],
        additionalProperties: false,
      };
      const question = 'From which account shall the rent be paid?';
      const asks = (more: object) => waits(scene, `ask_person ${JSON.stringify({ question, ...more })}`);
      const [chosen, filled, written] = [
        await asks({ choices: ['operations', 'reserve'], to: ['acme/ana', 'role:treasurer'] }),
        await asks({ schema }),
        await asks({}),
      ];
      const opened = await scene.open(ana);
      const { page } = opened;
      await page.getByRole('link', { name: question }).first().waitFor();
      const open = async ({ turn, digest }: typeof chosen) => {
        await opened.go(`/turns/${turn.id}/calls/${digest}`, 'Question');
        await page.getByRole('heading', { name: 'What the model asks' }).waitFor();
      };
      const answer = async ({ turn }: typeof chosen) => {
        await page.getByRole('button', { name: 'Send this answer' }).click();
        await page.getByRole('heading', { name: 'Done' }).waitFor();
        return (await turn.result()).calls[0]!.approval.by;
      };

      await open(chosen);
      await page.getByText('one of: acme/ana, role:treasurer').waitFor();
      await holdsUp(opened, 'question');
      await page.getByLabel('reserve').check();
      expect(await answer(chosen)).toEqual(['acme/ana']);
      await opened.go(`/turns/${chosen.turn.id}`, /Turn/);
      await page.getByText('answered the question').waitFor();
      expect(await page.locator('.timeline .question_answered').innerText()).toContain('reserve');
      expect(await page.locator('.timeline .question_asked').innerText()).toContain('The model asks a person');
      await holdsUp(opened, 'answered');

      await open(filled);
      await page.getByLabel('account').fill('operations');
      await page.getByLabel('day').fill('first');
      await page.getByRole('button', { name: 'Send this answer' }).click();
      await page.getByText('This must be a number').first().waitFor();
      await page.getByLabel('day').fill('1');
      await holdsUp(opened, 'question-form');
      await answer(filled);

      await open(written);
      await page.getByLabel('Answer', { exact: true }).fill('From the reserve, this once.');
      await answer(written);
      expect(opened.complaints).toEqual([]);
    }));
});

describeInBrowser('a card', (browser) => {
  const approvals = {
    tools: {
      pay_invoice: [
        { when: 'input.cents > 100000', roles: ['approver'], escalate: [{ afterMs: 3_600_000, roles: ['director', 'admin'] }] },
        { allow: true as const },
      ],
    },
  };

  it('says which entry of the rules applies and who may decide later, and what a probe saw', () =>
    withPage(browser(), { tools: [wires], approvals }, async (scene) => {
      const paid = await waits(scene, payment('Acme GmbH', 250_000));
      const opened = await scene.open(ana);
      const { page } = opened;
      await opened.go(`/turns/${paid.turn.id}/calls/${paid.digest}`, /pay_invoice/);
      await page.getByText('Entry 1 of the approval rules applies, because this holds: input.cents > 100000').waitFor();
      await page.getByText(/^From .* on, people with one of these roles may approve too: director, admin$/).waitFor();
      await holdsUp(opened, 'entry');

      const wired = await waits(scene, 'wire_money {"to":"Acme GmbH"}');
      await opened.go(`/turns/${wired.turn.id}/calls/${wired.digest}`, /wire_money/);
      await page.getByRole('button', { name: 'Approve …' }).click();
      await page.getByRole('button', { name: 'Approve exactly this' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      await page.getByRole('button', { name: 'Show it as it is now' }).click();
      await page.getByRole('heading', { name: 'What became of it?' }).waitFor();
      expect(await page.locator('form .evidence').innerText()).toContain('without its recipient');
      await holdsUp(opened, 'evidence');

      const admin = await scene.open(olga);
      await admin.go('/agents/payables', /payables/);
      await admin.page.getByText('one person with the role approver must approve').waitFor();
      await admin.page.getByLabel('payee').fill('Acme GmbH');
      await admin.page.getByLabel('cents').fill('250000');
      await admin.page.getByLabel('currency').selectOption('EUR');
      await admin.page.getByRole('button', { name: 'Ask the rules' }).click();
      await admin.page.getByText('If a person is asked: one person').waitFor();
      await admin.page.getByText('Of the list of approval rules, the first that fits applies:').waitFor();
      expect(await admin.page.locator('.verdict [aria-current]').innerText()).toMatch(/This one applies.*input\.cents > 100000/s);
      await holdsUp(admin, 'rules');
      await admin.page.getByLabel('cents').fill('250');
      await admin.page.getByRole('button', { name: 'Ask the rules' }).click();
      await eventually('the last entry applies', async () =>
        (await admin.page.locator('.verdict [aria-current]').allInnerTexts()).join().includes('Every other call'),
      );
      for (const { turn } of [paid, wired]) await turn.cancel();
    }));
});
