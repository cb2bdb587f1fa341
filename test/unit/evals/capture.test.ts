/** Every sample bundle gives a case that can be read, or a reason why not. */
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCaseFile } from '../../../src/audit/case-file';
import { captureCase, writeCase } from '../../../src/evals/capture';
import { readCases } from '../../../src/evals/case';
import { caseFolder } from './case-folder';

const BUNDLES = join(__dirname, '../../bundles');
const NAMES = readdirSync(BUNDLES).filter((name) => name.endsWith('.jsonl'));

const read = (name: string) => readCaseFile(createReadStream(join(BUNDLES, name)));

it.each(NAMES)('%s', async (name) => {
  const file = await read(name);
  const folder = join(caseFolder({}), 'one');
  try {
    await writeCase(folder, captureCase(file, { forbid: null }));
  } catch (error) {
    expect((error as Error).message).toMatch(/is not in the bundle|direct call|has no turn/);
    return;
  }
  const [one] = readCases(folder);
  const [turn] = file.turns;
  expect(one).toMatchObject({ model: 'recorded', agent: turn!.agent, real: [] });
  expect(one!.turns![turn!.agent]!.length).toBeGreaterThan(0);
});
