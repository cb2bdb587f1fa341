/** A tenant learns nothing of what another one does with the same tools. Each test is named after what it prevents. */
import { withEngine } from '../support/engine';
import { invoice } from '../support/scene';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

describe('a tenant cannot', () => {
  it('learn from a card who of another tenant did the same action, in which turn, and with what result', async () => {
    const run = () => ({ paid: true, reference: 'SECRET-REFERENCE' });
    const intentKey = (input: { invoice: string }) => input.invoice;
    const tools = [pays('pay', [], { run, intentKey })];
    const script = [
      ask(['pay', invoice]),
      say('paid'),
      ask(['pay', invoice]),
      say('denied'),
      ask(['pay', invoice]),
      say('denied'),
    ];
    await withEngine({ tools, script }, async ({ start }) => {
      const first = await start('Pay it.', { requester: 'acme/ana' });
      const [call] = await first.waitForPending();
      await first.approve(call.digest, { by: 'acme/bob' });
      await first.result();

      const other = await start('Pay it.', { requester: 'evil/eve' });
      const [same] = await other.waitForPending();
      const text = (await other.cards()).get(same.digest)!;
      expect(text).toContain('Other calls are for the same act');
      expect(text).toContain('another tenant');
      for (const secret of ['acme', first.id, 'SECRET-REFERENCE']) expect(text).not.toContain(secret);
      await other.deny(same.digest, { by: 'evil/bob' });
      await other.result();

      const own = await start('Pay it.', { requester: 'acme/carl' });
      const [again] = await own.waitForPending();
      const ownText = (await own.cards()).get(again.digest)!;
      for (const known of ['acme/ana', first.id, 'SECRET-REFERENCE']) expect(ownText).toContain(known);
      await own.deny(again.digest, { by: 'acme/bob' });
      await own.result();
    });
  });
});
