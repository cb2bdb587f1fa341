/** The example of docs/results.md: an invoice as PDF in, a typed proposal out, approved by a person, paid once. */
import { invoiceApp, invoiceReader, type Proposal } from '@holdfast/showcase';
import { pdf } from '../../support/files/samples';
import { ask } from '../../support/scripted-model';
import { withEngine } from '../support/engine';

const PROPOSAL: Proposal = {
  ...{
    invoice: 'INV-7',
    supplier: 'Papier AG',
    iban: 'DE02120300000000202051',
    cents: 125_000,
    currency: 'EUR',
    due: '2026-12-15',
  },
};
const INVOICE = pdf('BT (Invoice INV-7 of Papier AG: 1250.00 EUR, due 2026-12-15, DE02 1203 0000 0000 2020 51) Tj ET');

it('an invoice goes in as PDF, and is paid once, after a person has approved exactly what the model has read', async () => {
  const payments: [Proposal, string][] = [];
  const app = invoiceApp(async (proposal, key) => {
    payments.push([proposal, key]);
    return { transfer: `T-${payments.length}` };
  });
  // The first proposal lacks what the schema wants: it goes back to the model, which mends it.
  const { iban: _, ...incomplete } = PROPOSAL;
  const script = [ask(['give_result', incomplete]), ask(['give_result', PROPOSAL])];
  await withEngine({ app, script }, async ({ client, model }) => {
    const invoice = await client.files.put({ bytes: INVOICE, name: 'inv-7.pdf', mediaType: 'application/pdf' });
    const turn = await client.start(invoiceReader, {
      message: [{ type: 'text', text: 'Propose the payment of this invoice.' }, invoice],
    });
    const ended = await turn.result();
    expect(ended).toMatchObject({ state: 'completed', data: PROPOSAL });
    const proposal: Proposal | undefined = ended.state === 'completed' ? ended.data : undefined;
    expect(model.requests[0]!.messages[0]!.content[1]).toMatchObject({ type: 'document', title: 'inv-7.pdf' });

    const payment = { agent: 'payables', tool: 'pay_invoice', input: proposal!, id: 'pay INV-7' };
    const call = await client.call(payment);
    const [question] = await call.turn.waitForPending();
    expect((await call.turn.cards()).get(question.digest)).toContain(
      'Pay 1250.00 EUR to Papier AG, DE02120300000000202051, for invoice INV-7',
    );
    expect(payments).toEqual([]);
    await call.turn.approve(question.digest, { by: 'ana' });
    expect(await call.result()).toMatchObject({ success: true, data: { transfer: 'T-1' } });

    // The program asks again, as after a crash: it is the same call.
    expect(await (await client.call(payment)).result()).toMatchObject({ success: true, data: { transfer: 'T-1' } });
    expect(payments).toEqual([[PROPOSAL, expect.stringMatching(/^hf_/)]]);
  });
});
