import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../src/store/files/file-store';
import { environment, run } from '../../support/command-line';
import { pdf, png } from '../../support/files/samples';
import { say } from '../../support/scripted-model';
import { testAddress, withEngine } from '../support/engine';

const home = mkdtempSync(join(tmpdir(), 'holdfast-run-files-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('holdfast run --file sends files after the message; what is no such file starts nothing', async () => {
  const [invoice, stamp, svg] = ['invoice.pdf', 'stamp.png', 'logo.png'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(invoice, pdf());
  writeFileSync(stamp, png());
  writeFileSync(svg, Buffer.from([0, 1, 2]));
  const store = await FileStore.open(join(home, 'store'));
  await withEngine({ store, script: [say('Seen.')] }, async ({ taskQueue, model }) => {
    const env = environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: taskQueue });
    const holdfast = (...files: string[]) =>
      run(['run', '--agent', 'tester', '--follow', '--json', ...files.flatMap((path) => ['--file', path]), 'Pay this.'], env);
    expect(await holdfast(invoice, stamp)).toMatchObject({ code: 0 });
    const kinds = model.requests[0]!.messages[0]!.content.map(({ type }) => type);
    expect(kinds).toEqual(['text', 'document', 'image']);

    expect(await holdfast(svg)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The file logo.png is not taken: it is none of PNG'),
    });
    const missing = join(home, 'missing.pdf');
    expect(await holdfast(missing)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--file ${missing} cannot be read`),
    });
    expect(model.requests).toHaveLength(1);
  });
});
