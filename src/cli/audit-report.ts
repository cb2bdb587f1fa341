/** `holdfast audit report`: renders a bundle, or two side by side, as a page for people. */
import type { Command } from 'commander';
import { reportComparison, html, markdown, report } from '../audit/report';
import { visible } from '../shared/text/visible';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import { readBundle } from './support/read-bundle';
import { trustFile } from './support/trust-file';
import { mustNotReplace, writeFileWhole } from './support/write-file';

interface Options {
  output?: string;
  markdown?: boolean;
  trust?: string;
}

export function auditReport(audit: Command, output: () => Output): void {
  audit
    .command('report')
    .description(
      'A bundle as one page: in short, timeline, calls, cost, transcript. Of two bundles, what differs, and both side by side.',
    )
    .argument('<file...>', 'one bundle, or two')
    .option('-o, --output <file>', 'where the page goes; - for standard output')
    .option('--markdown', 'Markdown instead of HTML; without the picture')
    .option('--trust <file>', 'keys that you trust, as `holdfast keys export` prints them')
    .action(async (files: string[], { output: path, markdown: asMarkdown, trust }: Options) => {
      if (path === undefined) throw new UsageError('Name the file to write: -o FILE, or -o - for standard output.');
      if (files.length > 2) throw new UsageError(`One bundle, or two side by side; you named ${files.length}.`);
      if (path !== '-') await mustNotReplace(path, files);
      const keys = await trustFile(trust);
      const read = [];
      for (const file of files) read.push(await readBundle(file, keys));
      const [first, second] = read;
      const doc = second ? reportComparison(first!, second) : report(first!);
      const text = asMarkdown ? markdown(doc) : html(doc);
      if (path === '-') process.stdout.write(text);
      else {
        await writeFileWhole(path, text);
        const answer = read.map(({ result: { verdict, line, bad_starts } }, index) => ({
          file: files[index],
          verdict,
          line,
          bad_starts,
        }));
        output().answer({ report: path, bundles: answer }, [
          path,
          ...read.flatMap(({ verification: { headline, details } }, index) => [
            `${files[index]}: ${visible(headline)}`,
            ...details.map((line) => `  ${visible(line)}`),
          ]),
        ]);
      }
      if (read.some(({ result }) => result.verdict === 'broken')) throw new Exit(EXIT.failed);
    });
}
