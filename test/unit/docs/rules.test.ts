/** The allow rules for commands on our pages are right: each counts for the command beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentPermissions } from '../../../src/agents/define';
import { ROOT } from '../../support/named-tests';
import { tool, verdict } from '../tools/admit/support';

type Allow = AgentPermissions['allow'][number];

const PAGES = ['README.md', ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))];
/** Pages shorten hashes so. */
const SHORTENED = /'[0-9a-f]+…'/g;
const HASH = 'a'.repeat(64);

/** Of code blocks only: a rule in prose may be a warning. */
function allowed(page: string): Allow[] {
  const blocks = readFileSync(join(ROOT, page), 'utf8').match(/^```[a-z]*\n[^]*?^```/gm) ?? [];
  const lists = blocks.flatMap((block) =>
    [...block.matchAll(/\ballow: (\[.*?\])(?=,?$|,? *\/\/|,? *\})/gm)].map(([, list]) => list!),
  );
  return lists.flatMap((list) => new Function(`return ${list.replace(SHORTENED, `'${HASH}'`)}`)() as Allow[]);
}

const textOf = (rule: Allow) => (typeof rule === 'string' ? rule : rule.rule);
const commandOf = (rule: Allow) => /^bash\((.*)\)$/.exec(textOf(rule))?.[1];
const bash = tool('bash', {
  class: 'destructive',
  ruleTarget: { kind: 'command', of: ({ command }: any) => command, hashOf: () => HASH },
});

const shown = PAGES.flatMap((page) =>
  allowed(page).flatMap((rule) => {
    const command = commandOf(rule);
    return command === undefined ? [] : [{ page, rule, command }];
  }),
);

it('there are some', () =>
  expect(shown.map(({ command }) => command)).toEqual(expect.arrayContaining(['wc -l README.md', 'sh scripts/report.sh'])));

it.each(shown)('$page: bash($command)', ({ rule, command }) => {
  expect(verdict({ allow: [rule] }, 'bash', { command: command.replaceAll('*', 'x') }, {}, [bash])).toMatchObject({
    verdict: 'allow',
  });
});

it('a rule as pages once showed it would not hold', () => {
  for (const command of ['npm test', 'node scripts/report.js', 'sh scripts/report.sh'])
    expect(verdict({ allow: [`bash(${command})`] }, 'bash', { command }, {}, [bash]).verdict).toBe('ask');
});
