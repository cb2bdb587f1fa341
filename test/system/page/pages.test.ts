/** Every page of the desk: axe finds nothing, a phone shows all of it, roles see what they may, bundles are verified in the browser. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { passkeyId } from '../../../src/attestation/passkey-key';
import { PasskeyRegister } from '../../../src/attestation/passkey-register';
import { parseTrustedKeys } from '../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../src/audit/verify';
import { describeVerification } from '../../../src/audit/verify/sentence';
import type { Store } from '../../../src/store/store';
import { defineTool } from '../../../src/tools/define/define';
import { binaryFile } from '../../../src/tools/results/result-files';
import { SoftAuthenticator } from '../../support/authenticator';
import { eventually } from '../../engine/support/engine';
import { pdf, png } from '../../support/files/samples';
import { describeInBrowser } from '../support/browser';
import { ana, olga, rita, withPage } from './scene';
import { holdsUp, payment, waits } from './support';

const BUNDLES = join(__dirname, '../../bundles');

const DAILY = {
  ...{ name: 'daily', tools: ['pay_invoice'], per: 'agent' as const, windowMs: 86_400_000 },
  ...{ measure: 'input.cents', cap: 500_000 },
};

/** As if this person had registered a passkey: it waits for its enrolment. */
async function registersPasskey(store: Store, principal: string): Promise<string> {
  const { credentialId, public: jwk, alg, site } = new SoftAuthenticator('ES256');
  const kid = passkeyId(jwk);
  const owner = { principal, credential_id: credentialId, rp_id: site.rpId, origins: [site.origin] };
  expect(await new PasskeyRegister(store).add({ ...owner, kid, public: jwk, alg, transports: [], counter: 0 })).toBeNull();
  return kid;
}

/** Its file has a name that a page could take for markup. */
const makesReport = defineTool({
  name: 'make_report',
  version: '1.0.0',
  class: 'read',
  description: 'Makes a report.',
  input: z.object({ text: z.string() }),
  run: ({ text }: { text: string }) => ({
    report: binaryFile({ filename: 'Bericht <b>Ä</b>.html', contentType: 'text/html', bytes: Buffer.from(text) }),
  }),
});

describeInBrowser('the pages', (browser) => {
  it('shows the files and the costs of a turn, and lets files only be saved', () =>
    withPage(browser(), { tools: [makesReport] }, async (scene) => {
      const text = '<script>document.title = "taken over"</script>';
      const message = `make_report ${JSON.stringify({ text })}`;
      const turn = await scene.client.start({ agent: 'payables', message, requester: 'acme/rita' });
      await turn.result();
      const opened = await scene.open(ana);
      const { page } = opened;
      await opened.go(`/turns/${turn.id}`, /Turn /);
      await page.getByRole('tab', { name: 'Files' }).click();
      const link = page.getByRole('link', { name: /Bericht/ });
      await link.waitFor();
      await holdsUp(opened, 'files');
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(await readFile(await download.path(), 'utf8')).toBe(text);
      await page.getByRole('tab', { name: 'Costs' }).click();
      await page.getByRole('heading', { name: 'By step' }).waitFor();
      expect(await page.getByRole('group', { name: 'Costs by step' }).getByRole('row').count()).toBe(3);
      expect(await page.getByRole('group', { name: 'Costs by step' }).innerText()).toContain('make_report');
      await holdsUp(opened, 'costs');
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    }));

  it('shows the files of a message on the card and in the transcript: a picture is drawn, a PDF is only saved', () =>
    withPage(browser(), {}, async (scene) => {
      const [picture, invoice] = [png(40), pdf()];
      const put = (bytes: Buffer, name: string) => scene.client.files.put({ bytes, name, requester: 'acme/rita' });
      const message = [
        { type: 'text' as const, text: payment('Bolt AG', 9_900) },
        await put(invoice, 'Rechnung <b>Ä</b>.pdf'),
        await put(picture, 'stamp.png'),
      ];
      const { turn, digest } = await waits(scene, message);
      const opened = await scene.open(ana);
      const { page } = opened;
      const shown = async (where: string) => {
        const [pictureLink, invoiceLink] = [
          page.getByRole('link', { name: 'stamp.png' }),
          page.getByRole('link', { name: /Rechnung/ }),
        ];
        const width = () =>
          pictureLink.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
        await eventually('the picture is drawn', async () => (await width()) === 40);
        const [download] = await Promise.all([page.waitForEvent('download'), invoiceLink.click()]);
        expect((await readFile(await download.path())).equals(invoice)).toBe(true);
        await holdsUp(opened, where);
      };
      await opened.go(`/turns/${turn.id}/calls/${digest}`, /pay_invoice/);
      await shown('card-with-files');
      await opened.go(`/turns/${turn.id}`, /Turn /);
      await page.getByRole('tab', { name: 'Transcript' }).click();
      await shown('transcript-with-files');
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    }));

  it('holds up on every page, for every role', () =>
    withPage(browser(), { budgets: [DAILY] }, async (scene) => {
      const paid = await waits(scene, payment('Bolt AG', 9_900));
      const approver = await scene.open(ana);
      await approver.go(`/turns/${paid.turn.id}/calls/${paid.digest}`, /pay_invoice/);
      await approver.page.getByRole('button', { name: 'Approve …' }).click();
      await approver.page.getByRole('button', { name: 'Approve exactly this' }).click();
      await paid.turn.result();
      const { turn } = await waits(scene, payment('Acme GmbH', 1_000));
      const kid = await registersPasskey(scene.store, 'acme/ana');
      const session = await scene.client.openSession({ agent: 'payables', requester: 'acme/rita' });
      const admin = await scene.open(olga);
      const places: [string, string, RegExp][] = [
        ['turns', '/turns', /Turns/],
        ['turn', `/turns/${turn.id}`, /Turn /],
        ['sessions', '/sessions', /Sessions/],
        ['session', `/sessions/${session.id}`, /./],
        ['agents', '/agents', /Agents/],
        ['agent', '/agents/payables', /payables/],
        ['budgets', '/budgets', /Budgets/],
        ['trail', '/trail', /Trail/],
        ['audit', '/audit', /Audit/],
        ['person', '/me', /olga/],
        ['unknown', '/nowhere', /no such page/],
      ];
      for (const [name, place, heading] of places) {
        await admin.go(place, heading);
        await admin.page.locator('.reading').waitFor({ state: 'detached' });
        await holdsUp(admin, name);
      }
      await admin.go('/me', /olga/);
      await admin.page.getByText(`holdfast keys enroll ${kid} --key ENROLLER.pem`).waitFor();
      expect([admin.complaints, admin.foreign]).toEqual([[], []]);
      const starter = await scene.open(rita);
      const names = await starter.page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      expect(names.map((name) => name.split('\n')[0])).toEqual(['Turns', 'Sessions', 'Agents', 'acme/rita']);
      await turn.cancel();
    }));

  it('verifies bundles in the browser, with the words of the command line', () =>
    withPage(browser(), {}, async (scene) => {
      const { page, ...opened } = await scene.open(ana);
      await page.goto(`${scene.url}/#/audit`);
      const trust = await readFile(join(BUNDLES, 'trust.json'), 'utf8');
      await page.getByLabel(/Keys that you trust/).fill(trust);
      const whole = await readFile(join(BUNDLES, 'approval.jsonl'));
      const changed = Buffer.from(whole.toString('utf8').replace(/"cents":\d/, '"cents":9'));
      for (const [name, bytes] of Object.entries({ whole, changed, cut: whole.subarray(0, whole.length / 2) })) {
        const [headline] = describeVerification(await verifyBundle([bytes], parseTrustedKeys(trust, 'trust.json')));
        await page
          .getByLabel('Bundle (.jsonl)')
          .setInputFiles({ name: `${name}.jsonl`, mimeType: 'application/jsonl', buffer: bytes });
        await page.getByText(`${name}.jsonl`).waitFor();
        expect({ name, says: await page.locator('.notice .notice-title').innerText() }).toEqual({ name, says: headline });
      }
      expect(opened.complaints).toEqual([]);
    }));
});
