/** The packages that are loaded before a program does anything, since it waits for them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const DIST = join(__dirname, '../../../dist');
/** Only some features need them, and each costs from 50 to 300 ms. */
const RARE = ['viem', 'ox', 'prom-client', 'pdfkit', 'docx', 'typescript', 'tsx'];

/** The packages that are loaded when a script of dist/ has run to its end with these arguments. */
function filesOf(script: string, ...args: string[]): string[] {
  const program = `process.argv.splice(1, 0, 'holdfast');
    process.on('exit', () => require('node:fs').writeSync(2, JSON.stringify(Object.keys(require.cache))));
    require(${JSON.stringify(join(DIST, script))});`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, '--', ...args], { encoding: 'utf8' });
  expect([status, stderr.slice(0, 1)]).toEqual([0, '[']);
  const files = JSON.parse(stderr) as string[];
  expect(files.length).toBeGreaterThan(50);
  return files;
}

function packagesIn(files: string[]): Set<string> {
  return new Set(files.flatMap((file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? []));
}

it('importing holdfast loads no library that only one feature needs', () => {
  const packages = packagesIn(filesOf('index.js'));
  expect(packages).toContain('ajv');
  expect(RARE.filter((name) => packages.has(name))).toEqual([]);
});

it('--help loads neither tools, Temporal nor the code of audits', () => {
  const files = filesOf('cli/main.js', '--help');
  expect(files.filter((file) => file.startsWith(join(DIST, 'audit')))).toEqual([]);
  const packages = packagesIn(files);
  expect(packages).toContain('commander');
  const others = [
    'ajv',
    're2js',
    '@bufbuild/cel',
    'yaml',
    '@temporalio/client',
    '@temporalio/worker',
    'nodemailer',
    '@anthropic-ai/sdk',
  ];
  expect([...RARE, ...others].filter((name) => packages.has(name))).toEqual([]);
});

it('help lists every tools command', () => {
  const { stdout } = spawnSync(process.execPath, [join(DIST, 'cli/main.js'), 'help', 'tools'], { encoding: 'utf8' });
  for (const name of ['list', 'show', 'lint', 'check', 'cards', 'migrate', 'export', 'draft'])
    expect(stdout).toContain(`  ${name}`);
});
