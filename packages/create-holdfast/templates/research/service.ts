/** `npm run service -- "What do orders.csv and support-notes.md say about returns?"`: asks for a brief, and prints it. */
import { HoldfastClient } from 'holdfast/client';
import { researcher } from './app.js';

const message = process.argv.slice(2).join(' ') || 'Write a brief about returns from orders.csv.';
const holdfast = await HoldfastClient.connect();
try {
  const turn = await holdfast.start(researcher, { message });
  const ended = await turn.result();
  if (ended.state !== 'completed') throw new Error(`${ended.state}: ${ended.reason}`);
  const { title, findings, open_questions } = ended.data; // typed by `brief`
  console.log(`# ${title}\n`);
  for (const { claim, source } of findings) console.log(`- ${claim} (${source})`);
  for (const question of open_questions) console.log(`- open: ${question}`);
} finally {
  await holdfast.close();
}
