/** The questions of `create-holdfast` at a terminal. */
import { createInterface } from 'node:readline/promises';
import { TEMPLATES, UsageError } from './project.js';

const FOLDER = 'my-agent';

/** @returns {Promise<{folder: string, template: string}>} what is wanted, and the answers to the rest */
export async function ask({ folder, template }, { stdin, stdout }) {
  const terminal = createInterface({ input: stdin, output: stdout });
  // Without this, Ctrl-C and Ctrl-D would leave the question without an end.
  const left = new Promise((_, reject) => terminal.once('close', () => reject(new UsageError('Nothing was written.'))));
  left.catch(() => undefined);
  const answer = (question) => Promise.race([terminal.question(question), left]);
  try {
    folder ??= (await answer(`Folder (${FOLDER}): `)).trim() || FOLDER;
    template ??= await chosen(answer, stdout);
    return { folder, template };
  } finally {
    terminal.close();
  }
}

/** By its number or its name; the first one for an empty answer. */
async function chosen(answer, stdout) {
  const names = Object.keys(TEMPLATES);
  stdout.write(names.map((name, index) => `  ${index + 1}  ${name}: ${TEMPLATES[name].about}\n`).join(''));
  const text = (await answer('Template (1): ')).trim() || '1';
  return names[Number(text) - 1] ?? text;
}
