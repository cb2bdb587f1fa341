/**
 * Whatever a model, a tool or a person writes is text on every page: no element of it appears, no script runs, no address is asked, and
 * characters that nobody sees are shown.
 */
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define/define';
import { describeInBrowser } from '../support/browser';
import { ana, olga, withPage, type OpenPage } from './scene';
import { waits } from './support';

const ATTACKS = [
  `</title></script><script>window.owned=1;alert(1)</script><img src="https://evil.example/x.png" onerror="window.owned=1">`,
  `"><svg onload="window.owned=1"><iframe srcdoc="<script>parent.owned=1</script>"></iframe><style>main{display:none}</style>`,
  `' onmouseover='window.owned=1' x='</textarea><a href="javascript:window.owned=1">click</a>`,
  `[click](javascript:window.owned=1) ![x](https://evil.example/y.png) {{constructor.constructor('window.owned=1')()}}`,
];
const HIDDEN = 'Acme\u202Egnp.exe\u200B\u2066 GmbH';

/** Fields whose names are hostile too, and a preview, a description and an error of the same kind. */
const hostileTool = defineTool({
  name: 'send_note',
  version: '1.0.0',
  class: 'destructive',
  description: `Sends a note. ${ATTACKS[1]}`,
  input: z.object({ text: z.string().describe(ATTACKS[0]!), more: z.record(z.string(), z.string()) }),
  target: { place: ATTACKS[2]! },
  preview: ({ text }: { text: string }) => ({ [ATTACKS[3]!]: text, html: ATTACKS[0]! }),
  run: () => ({ said: ATTACKS.join('\n') }),
});

/** The elements that no page of ours has. */
const FOREIGN =
  'img, iframe, svg, object, embed, base, body style, main script, a[href^="javascript:"], [onerror], [onload], [onmouseover]';

async function isHarmless({ page, complaints, foreign }: OpenPage): Promise<void> {
  expect(await page.locator(FOREIGN).count()).toBe(0);
  expect(await page.evaluate('"owned" in window')).toBe(false);
  expect([complaints, foreign]).toEqual([[], []]);
}

describeInBrowser('hostile text', (browser) => {
  it('stays text on every page', () =>
    withPage(browser(), { tools: [hostileTool] }, async (scene) => {
      const input = { text: `${ATTACKS.join('\n')}\n${HIDDEN}`, more: { [ATTACKS[0]!]: ATTACKS[1]!, __proto__x: HIDDEN } };
      const { turn, digest } = await waits(scene, `send_note ${JSON.stringify(input)}`);
      const desk = await scene.open(ana);
      const { page } = desk;
      await page.locator('.row-link').first().waitFor();
      await isHarmless(desk);
      await page.getByPlaceholder('Search (/)').fill('<script>');
      await isHarmless(desk);

      await desk.go(`/turns/${turn.id}/calls/${digest}`, 'send_note');
      await page.getByRole('heading', { name: 'Input' }).waitFor();
      const card = await page.locator('article').innerText();
      for (const attack of ATTACKS) expect(card.replace(/\s+/g, ' ')).toContain(attack.replace(/\s+/g, ' '));
      expect(card).toContain('Acme⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+2066⟩ GmbH');
      await isHarmless(desk);
      await page.getByRole('button', { name: 'Change the input …' }).click();
      await page.getByLabel('text', { exact: true }).fill('<img src=x onerror=window.owned=1>');
      await page.locator('.changes .line-changes').waitFor();
      await isHarmless(desk);
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: 'Deny …' }).click();
      await page.getByLabel('Why not?').fill(ATTACKS[0]!);
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();
      await turn.result();

      await desk.go(`/turns/${turn.id}`, /Turn/);
      for (const tab of ['Transcript', 'Calls', 'Costs', 'What happened']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.locator('.reading').waitFor({ state: 'detached' });
        await isHarmless(desk);
      }
      await desk.go('/trail', 'Trail');
      await page.locator('table').waitFor();
      await isHarmless(desk);
      const admin = await scene.open(olga);
      await admin.go('/agents/payables', /payables/);
      await admin.page.getByLabel('Tool').selectOption('send_note');
      await admin.page.getByLabel('text', { exact: true }).waitFor();
      await isHarmless(admin);
      for (const hash of [
        `/turns/${encodeURIComponent(ATTACKS[0]!)}`,
        `/agents/${encodeURIComponent(ATTACKS[1]!)}`,
        `/${ATTACKS[2]}`,
      ]) {
        await page.goto(`${scene.url}/#${hash}`);
        await page.locator('h1').waitFor();
        await isHarmless(desk);
      }
    }));
});
