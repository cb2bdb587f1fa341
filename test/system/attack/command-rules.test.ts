/** Attacks on rules that allow a command: the model writes the files that the command reads, with tools that ask nobody. */
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceTools } from '../../../packs/workspace/src';
import { defineAgent, defineApp, type AgentPermissions } from '../../../src/agents/define';
import { admit } from '../../../src/tools/admit/admit';
import { Registry } from '../../../src/tools/catalogue/registry';
import { Place } from '../packs/workspace/support';
import { eventually, withEngine } from '../../engine/support/engine';
import { ask, say } from '../../support/scripted-model';

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

type Calls = [string, Record<string, string>][];

const ran = () => existsSync(join(place.root, 'ran'));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const packageJson = (script: string) => JSON.stringify({ name: 'x', version: '1.0.0', scripts: { test: script } });
const write = (path: string, content: string): Calls[number] => ['write_file', { path, content }];
const bash = (command: string): Calls[number] => ['bash', { command, cwd: '/' }];

/** Runs the model's calls, step by step, and denies each call that waits for a person. Returns the tools that waited. */
async function asked(allow: AgentPermissions['allow'], steps: Calls[]): Promise<string[]> {
  const waited: string[] = [];
  const script = [...steps.map((calls) => ask(...calls)), say('done')];
  const setup = { tools: workspaceTools({ root: place.root }), agent: { permissions: { allow } }, script };
  await withEngine(setup, async ({ start }) => {
    const turn = await start();
    let over = false;
    const ended = turn.result().then(() => (over = true));
    for (;;) {
      const [call] = await eventually('a question, or the end', async () => {
        const open = await turn.pending();
        return open.length > 0 || over ? open : undefined;
      });
      if (!call) break;
      waited.push(call.tool);
      expect(ran()).toBe(false);
      await turn.deny(call.digest, { by: 'ana' });
      await eventually('it is decided', async () => !(await turn.pending()).some(({ digest }) => digest === call.digest));
    }
    await ended;
  });
  return waited;
}

/** The verdict on a command of the model, before anybody is asked. */
async function verdict(allow: AgentPermissions['allow'], command: string, cwd = '/'): Promise<string> {
  const tools = workspaceTools({ root: place.root });
  const agent = defineAgent({ name: 'a', prompt: 'p', tools, permissions: { allow } });
  const json = JSON.stringify({ command, cwd });
  return (await admit(new Registry(defineApp({ agents: [agent] })).agent('a')!, { name: 'bash', json, cut: false })).verdict;
}

/** The model writes a file, as its tool does. */
const written = (path: string, content: string) => place.ok('write_file', { path, content });

describe('an allowed command', () => {
  it('does not run code that the model has written into the files that it reads: npm test', async () => {
    expect(await asked(['bash(npm test)'], [[write('/package.json', packageJson('touch ran'))], [bash('npm test')]])).toEqual([
      'bash',
    ]);
    expect(ran()).toBe(false);
  });

  it.each([
    ['sh report.sh', '/report.sh', 'touch ran'],
    ['./report.sh', '/report.sh', '#!/bin/sh\ntouch ran'],
    ['node report.js', '/report.js', 'require("fs").writeFileSync("ran", "")'],
    ['python3 -u report.py', '/report.py', 'open("ran", "w")'],
    ['make', '/Makefile', 'all:\n\ttouch ran\n'],
    ['env A=1 nice -n 5 sh report.sh', '/report.sh', 'touch ran'],
    ['timeout -s KILL 50 sh report.sh', '/report.sh', 'touch ran'],
    ['/usr/bin/env sh report.sh', '/report.sh', 'touch ran'],
    ['node --require=./report.js', '/report.js', 'require("fs").writeFileSync("ran", "")'],
    ['awk -f report.awk', '/report.awk', 'BEGIN { system("touch ran") }'],
    ['env -Ssh report.sh', '/report.sh', 'touch ran'],
    ['command . ./report.sh', '/report.sh', 'touch ran'],
    ['trap ./report.sh EXIT', '/report.sh', '#!/bin/sh\ntouch ran'],
    ['gdb -nx -batch -x report.gdb', '/report.gdb', 'shell touch ran'],
    ['xargs -a report.txt env', '/report.txt', 'touch ran'],
    ['GIT_PAGER=./report.sh git -p status', '/report.sh', '#!/bin/sh\ntouch ran'],
  ])('does not run a file that the model has written: %s', async (command, path, content) => {
    await written(path, content);
    expect(await verdict([`bash(${command})`], command)).toBe('ask');
  });

  it('runs by itself while its files are as the rule has them, and asks once they are not', async () => {
    const script = 'echo fine > fine\n';
    place.put('report.sh', script);
    const rule = { rule: 'bash(sh report.sh)', files: { '/report.sh': sha256(script) } };
    expect(await asked([rule], [[bash('sh report.sh')]])).toEqual([]);
    expect(place.get('fine')).toBe('fine\n');
    const change: Calls[number] = ['edit_file', { path: '/report.sh', old_text: 'echo fine > fine', new_text: 'touch ran' }];
    expect(await asked([rule], [[change], [bash('sh report.sh')]])).toEqual(['bash']);
    expect(ran()).toBe(false);
  });

  it('does not run either if its file is written in the same step, after the rules were checked', async () => {
    const script = 'echo fine > fine\n';
    place.put('report.sh', script);
    const rule = { rule: 'bash(sh report.sh)', files: { '/report.sh': sha256(script) } };
    const change: Calls[number] = ['edit_file', { path: '/report.sh', old_text: 'echo fine > fine', new_text: 'touch ran' }];
    await asked([rule], [[change, bash('sh report.sh')]]);
    expect(ran()).toBe(false);
    expect(existsSync(join(place.root, 'fine'))).toBe(false);
  });

  it('is not allowed in another folder by a rule with a pattern', async () => {
    const script = 'echo fine > fine\n';
    place.put('report.sh', script);
    const rule = { rule: 'bash(sh report.sh)', files: { '/report.sh': sha256(script) } };
    await written('/other/report.sh', 'touch ../ran');
    expect(await verdict([rule], 'sh report.sh', '/other')).toBe('ask');
    expect(await verdict([rule], 'sh report.sh')).toBe('allow');
  });

  it('is not allowed in another folder by a rule with a condition', async () => {
    const script = 'echo fine > fine\n';
    place.put('report.sh', script);
    const rule = { rule: 'bash', when: 'input.command == "sh report.sh"', files: { '/report.sh': sha256(script) } };
    await written('/other/report.sh', 'touch ../ran');
    expect(await verdict([rule], 'sh report.sh', '/other')).toBe('ask');
    expect(await verdict([rule], 'sh report.sh')).toBe('allow');
  });

  it('is not allowed if it reads another file than the rule names', async () => {
    const script = 'echo fine > fine\n';
    place.put('report.sh', script);
    const rule = { rule: 'bash(sh *report.sh)', files: { '/report.sh': sha256(script) } };
    await written('/x', 'touch ran');
    expect(await verdict([rule], 'sh x report.sh')).toBe('ask');
    expect(await verdict([rule], 'sh report.sh')).toBe('allow');
  });

  it.each([
    ['sed -n *', 'sed -n e report.txt', 'touch ran'],
    ['sed *', 'sed s/x/y/e report.txt', 'x\n'],
    ['* report.txt', 'PATH=. wc report.txt', ''],
    ['sort *', 'sort --compress-prog=./report.txt report.txt', ''],
    ['git grep *', 'git grep --no-index -Osh touch report.txt', 'touch ran'],
    ['git *', 'git config include.path report.txt', ''],
    ['git *', 'git ls-remote --upload-pack=./report.txt .', ''],
    ['tar *', 'tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=./report.txt report.txt', ''],
  ])('under the rule %s does not run a file that the model has written: %s', async (pattern, command, content) => {
    await written('/report.txt', content);
    expect(await verdict([`bash(${pattern})`], command)).toBe('ask');
  });

  it('git status runs no code from a repository that file tools have made', async () => {
    const config = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ran; false"\n';
    const made: Calls = [
      write('/HEAD', 'ref: refs/heads/main\n'),
      write('/config', config),
      write('/objects/info/x', ''),
      write('/refs/heads/x', ''),
    ];
    expect(await asked(['bash(git status)'], [made, [bash('git status')]])).toEqual([]);
    expect(ran()).toBe(false);
    // It is an attack: git itself, as people have it, runs it.
    execFileSync('sh', ['-c', 'git status >/dev/null 2>&1 || true'], { cwd: place.root });
    expect(ran()).toBe(true);
  });

  it('runs the program of the system, and not a file of that name in the workspace, with any PATH of the worker', async () => {
    const { PATH } = process.env;
    process.env.PATH = `.:${PATH}:`;
    try {
      place.put('wc', '#!/bin/sh\nexit 0');
      chmodSync(join(place.root, 'wc'), 0o755);
      const change: Calls[number] = ['edit_file', { path: '/wc', old_text: 'exit 0', new_text: 'touch ran' }];
      expect(await asked(['bash(wc -l wc)'], [[change], [bash('wc -l wc')]])).toEqual([]);
      expect(ran()).toBe(false);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('has no home in the workspace, where its configuration could be written', () => {
    const { root, base } = place;
    mkdirSync(join(root, 'home'));
    symlinkSync(join(root, 'home'), join(base, 'link'));
    for (const home of [root, join(root, 'home'), join(root, 'home/none'), join(base, 'link')])
      expect(() => workspaceTools({ root, home })).toThrow('lies in the workspace');
    expect(() => workspaceTools({ root, home: 'home' })).toThrow('must be an absolute path');
    expect(workspaceTools({ root, home: base })).toHaveLength(6);
  });

  it('runs files with any content only under a rule that says so', async () => {
    const rule = { rule: 'bash(sh report.sh)', files: 'any' as const };
    expect(await asked([rule], [[write('/report.sh', 'echo any > any')], [bash('sh report.sh')]])).toEqual([]);
    expect(readFileSync(join(place.root, 'any'), 'utf8')).toBe('any\n');
  });
});
