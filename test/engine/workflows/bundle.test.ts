import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';

/** Module ids of the bundle: webpack keeps them as keys of its module table. */
function modulesOf(code: string): string[] {
  return [...code.matchAll(/^\/\*\*\*\/ "([^"\n]+)":?$/gm)].map((match) => match[1]!);
}

describe('the workflow bundle', () => {
  const modules = modulesOf(readFileSync(workflowBundlePath(), 'utf8'));

  it('holds our workflow code, so that the next tests cannot pass on nothing', () => {
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.some((id) => /workflows\/turn\/turn\.[jt]s$/.test(id))).toBe(true);
    expect(modules.some((id) => /shared\/json\/sha256\.[jt]s$/.test(id))).toBe(true);
  });

  it('reaches no Node built-in', () => {
    // The SDK itself ships assert and url replacements for its sandbox; anything else would be ours.
    const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    const reached = modules.filter((id) => builtins.has(id) || /^(external )?"?node:/.test(id));
    expect(reached.filter((id) => !id.startsWith('__temporal'))).toEqual([]);
  });

  it.each(['zod', 'ajv', '@anthropic-ai', 'pino', 'nodemailer', '@temporalio/worker', '@temporalio/client'])(
    'has no %s in it',
    (name) => {
      expect(
        modules.filter((id) => id.includes(`/node_modules/${name}/`) || id.includes(`/node_modules/${name.replace('/', '-')}/`)),
      ).toEqual([]);
    },
  );

  it('takes of ours only what is pure: workflows, shared and the cards', () => {
    const ours = modules.filter((id) => id.startsWith('./') && !id.includes('node_modules'));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((id) => !/^\.\/[^/]+\/(workflows|shared|cards)\//.test(id))).toEqual([]);
  });
});
