/** Changing the input of a call by a form from the tool's schema: what is sent is what the person saw. */
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define/define';
import { describeInBrowser } from '../support/browser';
import { ana, ben, withPage } from './scene';
import { holdsUp, waits } from './support';

const order = z.object({
  supplier: z.object({ name: z.string().min(1), city: z.string().max(40) }),
  lines: z
    .array(z.object({ item: z.string().max(40), pieces: z.number().int().min(1).max(10) }))
    .min(1)
    .max(3),
  currency: z.enum(['EUR', 'USD']),
  due: z.iso.date(),
  express: z.boolean(),
  extra: z.record(z.string(), z.number()),
});
const before = {
  supplier: { name: 'Acme GmbH', city: 'Bonn' },
  lines: [
    { item: 'paper', pieces: 2 },
    { item: 'ink', pieces: 1 },
  ],
  ...{ currency: 'EUR', due: '2026-03-01', express: false, extra: { discount: 5 } },
};
const after = {
  supplier: { name: 'Acme AG', city: 'Bonn' },
  lines: [
    { item: 'paper', pieces: 3 },
    { item: 'pens', pieces: 4 },
  ],
  ...{ currency: 'USD', due: '2026-03-15', express: true, extra: { discount: 7 } },
};

describeInBrowser('a form of a tool’s input', (browser) => {
  it('shows objects, lists, choices, limits and days, takes JSON for the rest, and sends exactly what it shows', () => {
    const ordered: unknown[] = [];
    const places = defineTool({
      name: 'place_order',
      version: '1.0.0',
      class: 'destructive',
      description: 'Places an order.',
      input: order,
      preview: ({ supplier, lines }: z.infer<typeof order>) => `Order ${lines.length} items from ${supplier.name}.`,
      run: (input: z.infer<typeof order>) => (ordered.push(input), { placed: true }),
    });
    return withPage(browser(), { tools: [places] }, async (scene) => {
      const { turn, digest } = await waits(scene, `place_order ${JSON.stringify(before)}`);
      const opened = await scene.open(ana);
      const { page } = opened;
      await opened.go(`/turns/${turn.id}/calls/${digest}`, /place_order/);
      await page.getByRole('button', { name: 'Change the input …' }).click();
      const form = page.locator('form.edit');
      const field = (name: string) => form.getByLabel(name, { exact: true });
      await field('name').waitFor();
      // Unchanged, there is nothing to send.
      expect(await page.getByRole('button', { name: 'Send the changed input' }).isDisabled()).toBe(true);
      expect(await field('due').getAttribute('type')).toBe('date');
      await field('name').fill('Acme AG');
      await field('pieces').first().fill('11');
      await page.getByRole('button', { name: 'Send the changed input' }).click();
      await page.getByText('lines[0].pieces: At most 10.').waitFor();
      await holdsUp(opened, 'form-faults');
      await field('pieces').first().fill('3');
      await page.getByRole('button', { name: 'Remove entry 2' }).click();
      await page.getByRole('button', { name: 'Add an entry' }).click();
      await field('item').last().fill('pens');
      await field('pieces').last().fill('4');
      await field('currency').selectOption('USD');
      await field('due').fill('2026-03-15');
      await field('express').check();
      await field('extra').fill('{"discount": 7}');
      await holdsUp(opened, 'form');
      const changes = await form.locator('.changes').innerText();
      for (const value of ['Acme AG', 'pens', 'USD', '2026-03-15', 'true', '7']) expect(changes).toContain(value);
      await page.getByRole('button', { name: 'Send the changed input' }).click();
      await page.getByRole('heading', { name: 'Done' }).waitFor();

      const other = await scene.open(ben);
      await other.page.getByRole('link', { name: 'Order 2 items from Acme AG.' }).click();
      await other.page.getByRole('button', { name: 'Approve …' }).click();
      await other.page.getByRole('button', { name: 'Approve exactly this' }).click();
      await turn.result();
      expect(ordered).toEqual([after]);
      expect([opened.complaints, opened.foreign]).toEqual([[], []]);
    });
  });
});
