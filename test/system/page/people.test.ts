/**
 * What a new approver does, from the first sign-in to the evidence: at a real OpenID provider, with a passkey of the browser that only
 * the operator's enrolment makes count, over a gateway whose own key approves nothing. On a desk, and on a phone.
 */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { readTrustedKeys } from '../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../src/audit/verify';
import { BUNDLE_KEY } from '../../support/bundle-keys';
import { bundleOf } from '../../support/bundle-of';
import { judgedByPython } from '../audit/support/python';
import { describeInBrowser } from '../support/browser';
import { pythonVerifier } from '../support/python-verifier';
import { arrive, enrols, Organisation, registersPasskey } from './approver';
import { withPage, type OpenPage, type Scene } from './scene';
import { holdsUp, payment, PHONE, waits } from './support';

const python = pythonVerifier();
const [ANA, BEN, KIM] = ['ana@bank.example', 'ben@bank.example', 'kim@bank.example'] as const;
/** Longer than the first of two takes to approve, as a rule; nothing depends on it. */
const ESCALATES_MS = 4_000;
const approvals = {
  roles: ['treasurer'],
  tools: {
    pay_invoice: [
      { when: 'input.cents > 100000', quorum: 2, escalate: [{ afterMs: ESCALATES_MS, roles: ['cfo'] }] },
      { when: 'input.cents > 1000', escalate: [{ afterMs: 3_600_000, roles: ['cfo'] }] },
      { allow: true as const },
    ],
  },
};

async function opensCall({ page, url }: OpenPage, deed: string): Promise<void> {
  await page.goto(`${url}/#/`);
  await page.getByRole('link', { name: deed }).click();
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
}

async function approves({ page }: OpenPage, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'Approve …' }).click();
  await page.getByRole('button', { name: 'Approve exactly this with passkey' }).click();
  await page.getByRole('heading', { name: 'Done' }).waitFor();
  await page.getByText(answer, { exact: true }).waitFor();
}

/** From when on others may approve the call that waits in this turn, as the page reads it. */
function escalatesAt({ page }: OpenPage, turn: string): Promise<string> {
  const path = JSON.stringify(`v1/turns/${turn}`);
  return page.evaluate(
    `fetch(${path}).then((answer) => answer.json()).then(({ waiting: [{ card }] }) => card.policy.escalations[0].at)`,
  );
}

/** Facts of rows that do not fit: of a sum or a quorum half is worse than nothing. */
function cutFacts({ page }: OpenPage): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.row .sum, .row .decided, .row .decided > *, .row .times')]
    .filter((fact) => fact.scrollWidth > fact.clientWidth + 1)
    .map((fact) => fact.textContent)`);
}

/** Both verifiers find it whole, and name these passkeys, by their people. */
async function isProved({ client, store, signers }: Scene, turn: string, passkeys: Record<string, string>) {
  const bytes = Buffer.from(await bundleOf(client.temporal, store, turn, BUNDLE_KEY));
  const trust = [...(await readTrustedKeys(signers.trusted)), trustedEntry(BUNDLE_KEY, { bundle: true })];
  const ours = await verifyBundle([bytes], trust);
  expect(ours).toMatchObject({ verdict: 'intact', unchecked_decisions: 0, bad_starts: 0 });
  expect(Object.fromEntries(ours.passkeys.map(({ principal, kid }) => [principal, kid]))).toEqual(passkeys);
  if (python === null) return;
  const file = `${signers.trusted}.auditor`;
  await writeFile(file, JSON.stringify(trust));
  const [theirs] = await judgedByPython(python, [{ name: turn, bytes }], file);
  expect(theirs).toMatchObject({ verdict: 'intact', passkeys: ours.passkeys });
}

describeInBrowser('a new approver', (browser) => {
  let organisation: Organisation;
  beforeEach(async () => {
    organisation = await Organisation.make();
  });
  afterEach(() => organisation.close());

  it.each([
    ['at a desk', 'desk', {}],
    ['on a phone', 'phone', { viewport: PHONE, isMobile: true, hasTouch: true }],
  ])('signs in at the organisation, registers a passkey, and decides with it %s', (_where, name, options) =>
    withPage(browser(), { approvals, limited: true, oidc: organisation.oidc }, async (scene) => {
      const [ana, ben, kim] = (await Promise.all(['ana', 'ben', 'kim'].map((who) => arrive(scene, who, options)))) as [
        OpenPage,
        OpenPage,
        OpenPage,
      ];
      await Promise.all([ana, ben, kim].map(registersPasskey));
      await holdsUp(ana, `people-${name}-passkey`);
      const keys = await enrols(organisation, scene, [
        { principal: ANA, role: 'treasurer', at: ana },
        { principal: BEN, role: 'treasurer', at: ben },
        { principal: KIM, role: 'cfo', at: kim },
      ]);
      await ana.page.getByText('enrolled', { exact: true }).waitFor();
      const provenBy = (...people: string[]) => Object.fromEntries(people.map((one) => [one, keys[one]!]));

      const [large, denied, changed] = [
        await waits(scene, payment('Acme GmbH', 125_000)),
        await waits(scene, payment('Bolt AG', 9_900)),
        await waits(scene, payment('Cato SE', 70_000)),
      ];
      await ana.page.goto(`${scene.url}/#/`);
      await ana.page.getByRole('link', { name: 'Pay 1250.00 EUR to Acme GmbH.' }).waitFor();
      await ana.page.getByRole('link', { name: 'Pay 99.00 EUR to Bolt AG.' }).waitFor();
      await holdsUp(ana, `people-${name}-inbox`);
      expect(await cutFacts(ana)).toEqual([]);

      await opensCall(ana, 'Pay 1250.00 EUR to Acme GmbH.');
      await ana.page.getByText('input.cents > 100000', { exact: true }).waitFor();
      await ana.page.getByText(/may approve too: cfo/).waitFor();
      await holdsUp(ana, `people-${name}-call`);
      await approves(ana, 'approved by 1 of 2 people');
      await ana.page.getByText(/^ana@bank\.example approved/).waitFor();
      await ana.page.goto(`${scene.url}/#/trail`);
      await ana.page
        .getByText(/^passkey\/[0-9a-f]{16}$/)
        .first()
        .waitFor();
      expect(scene.effects).toEqual([]);

      // The board may not approve the small one yet, and sees from when on it may.
      const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
      const later = time.format(Date.parse(await escalatesAt(kim, denied.turn.id)));
      await opensCall(kim, 'Pay 99.00 EUR to Bolt AG.');
      expect(await kim.page.getByText(/From .* on, people with one of these roles may approve too: cfo/).innerText()).toContain(
        `${later} on`,
      );
      expect(await kim.page.getByText(/^Approving takes one of the roles treasurer;/).innerText()).toContain(
        `${later} on you may`,
      );
      await kim.page.getByRole('button', { name: 'Approve …' }).click();
      await kim.page.getByRole('button', { name: 'Approve exactly this with passkey' }).click();
      await kim.page.getByRole('alert').waitFor();
      await holdsUp(kim, `people-${name}-too-early`);

      await opensCall(ana, 'Pay 99.00 EUR to Bolt AG.');
      await ana.page.getByRole('button', { name: 'Deny …' }).click();
      await ana.page.getByLabel('Why not?').fill('Not due yet.');
      await ana.page.getByRole('button', { name: 'Deny with passkey' }).click();
      await ana.page.getByRole('heading', { name: 'Done' }).waitFor();
      const refusedView = await denied.turn.result();
      expect(refusedView.calls[0]!.approval).toMatchObject({ decision: 'deny', by: [ANA], note: 'Not due yet.' });

      await opensCall(ana, 'Pay 700.00 EUR to Cato SE.');
      await ana.page.getByRole('button', { name: 'Change the input …' }).click();
      await ana.page.getByLabel('cents').fill('65000');
      await ana.page.getByRole('button', { name: 'Send the changed input' }).click();
      await ana.page.getByRole('heading', { name: 'Done' }).waitFor();

      // A second treasurer approves what the first has changed.
      await opensCall(ben, 'Pay 650.00 EUR to Cato SE.');
      await approves(ben, 'approved');
      await changed.turn.result();

      // Nobody else of the treasurers is there for the large one: after a while the board may.
      const at = await escalatesAt(kim, large.turn.id);
      await sleep(Math.max(0, Date.parse(at) + 500 - Date.now()));
      await opensCall(kim, 'Pay 1250.00 EUR to Acme GmbH.');
      expect(await kim.page.getByText('Approving takes one of the roles').count()).toBe(0);
      await approves(kim, 'approved');
      const paid = await large.turn.result();
      expect(paid.calls[0]!.approval.decisions).toMatchObject([
        { by: ANA, attested: true },
        { by: KIM, attested: true },
      ]);
      expect(scene.effects).toEqual([
        { payee: 'Cato SE', cents: 65_000, currency: 'EUR' },
        { payee: 'Acme GmbH', cents: 125_000, currency: 'EUR' },
      ]);

      await isProved(scene, large.turn.id, provenBy(ANA, KIM));
      await isProved(scene, denied.turn.id, provenBy(ANA));
      await isProved(scene, changed.turn.id, provenBy(ANA, BEN));
      for (const { complaints, foreign } of [ana, ben, kim]) expect([complaints, foreign]).toEqual([[], []]);
    }),
  );

  it('names a deputy with a passkey, who approves in that person’s place until the part is ended', () =>
    withPage(browser(), { approvals, limited: true, oidc: organisation.oidc }, async (scene) => {
      const [ana, kim] = [await arrive(scene, 'ana', {}), await arrive(scene, 'kim', {})];
      await Promise.all([ana, kim].map(registersPasskey));
      const keys = await enrols(organisation, scene, [
        { principal: ANA, role: 'treasurer', at: ana },
        { principal: KIM, role: 'cfo', at: kim },
      ]);
      await ana.page.getByText('enrolled', { exact: true }).waitFor();
      const { turn: first } = await waits(scene, payment('Acme GmbH', 70_000));
      await opensCall(kim, 'Pay 700.00 EUR to Acme GmbH.');
      await kim.page.getByText(/^Approving takes one of the roles treasurer;/).waitFor();

      await ana.page.getByLabel('Deputy (full name)').fill(KIM);
      await ana.page.getByLabel('Until').fill(new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 16));
      await ana.page.getByRole('button', { name: 'Name a deputy with passkey' }).click();
      await ana.page.getByRole('button', { name: `End ${KIM}` }).waitFor();
      await holdsUp(ana, 'people-deputies');

      await kim.page.goto(`${scene.url}/#/me`);
      await kim.page.getByText(`You for ${ANA}`).waitFor();
      await opensCall(kim, 'Pay 700.00 EUR to Acme GmbH.');
      await kim.page.getByText(`You may decide for ${ANA}, as deputy.`).waitFor();
      await holdsUp(kim, 'people-deputy-call');
      await approves(kim, 'approved');
      const paid = await first.result();
      expect(paid.calls[0]!.approval.decisions).toMatchObject([{ by: KIM, on_behalf_of: ANA, attested: true }]);
      await isProved(scene, first.id, { [KIM]: keys[KIM]! });

      await ana.page.getByRole('button', { name: `End ${KIM}` }).click();
      await ana.page.getByText('ended', { exact: true }).waitFor();
      const { turn: second } = await waits(scene, payment('Bolt AG', 9_900));
      await opensCall(kim, 'Pay 99.00 EUR to Bolt AG.');
      await kim.page.getByText(/^Approving takes one of the roles treasurer;/).waitFor();
      await second.cancel();
      expect(scene.effects).toEqual([{ payee: 'Acme GmbH', cents: 70_000, currency: 'EUR' }]);
      for (const { complaints, foreign } of [ana, kim]) expect([complaints, foreign]).toEqual([[], []]);
    }));
});
