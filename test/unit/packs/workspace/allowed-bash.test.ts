/** An agent whose rules allow every `bash` command: a command that takes other rights is refused all the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { workspaceTools } from '../../../../packs/workspace/src';
import { admit } from '../../../../src/tools/admit/admit';
import { Registry, type PreparedAgent } from '../../../../src/tools/catalogue/registry';

let root: string;
let agent: PreparedAgent;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-allowed-'));
  const permissions = { allow: ['bash'] };
  const definition = defineAgent({ name: 'a', prompt: 'p', tools: workspaceTools({ root }), permissions });
  agent = new Registry(defineApp({ agents: [definition] })).agent('a')!;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const verdict = async (command: string) => {
  const { verdict, error } = await admit(agent, { name: 'bash', json: JSON.stringify({ command }), cut: false });
  return error?.reason ?? verdict;
};

it.each(['ls', 'npm test'])('%s runs without asking', async (command) => expect(await verdict(command)).toBe('allow'));

it.each(['sudo', 'sudo ls', 'doas ls', 'pkexec ls', 'su -c ls', 'runuser -u root -- ls'])('%s is refused', async (command) =>
  expect(await verdict(command)).toBe('dangerous_command'),
);
