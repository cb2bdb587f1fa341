/** `npm run service -- INV-7 70000`: asks for a payment, and prints how it ended. */
import { HoldfastClient } from 'holdfast/client';

const [invoice = 'INV-7', cents = '70000'] = process.argv.slice(2);
const holdfast = await HoldfastClient.connect();
try {
  // An id of your own data: asked for twice, it is the same turn, and one payment. An id stands for one message, so the amount is in
  // it: after a wrong amount the right one is a turn of its own. No invoice is paid twice by that: see `intentKey` in pay-invoice.ts.
  const id = `pay-${invoice}-${cents}`;
  const turn = await holdfast.start({ agent: 'payables', message: `Pay ${cents} cents for ${invoice}.`, id });
  console.log(`Turn ${turn.id}. Calls that wait for a person: npx holdfast pending`);
  const { state, text, reason } = await turn.result();
  console.log(`${state}: ${text || reason}`);
} finally {
  await holdfast.close();
}
