/** The commands that read a bundle, as a user runs them, in a network namespace of their own and with a tripwire on all code that can act. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withoutNetwork } from '../../../src/audit/replay/isolation';

const ROOT = join(__dirname, '../../..');
const MAIN = join(ROOT, 'dist', 'cli', 'main.js');
const MEMO = join(ROOT, 'docs', 'incidents', 'memo-1.jsonl');
const inIncidents = (name: string) => join(ROOT, 'docs', 'incidents', name);

/** Loaded before anything else: each module that can act leaves its name in a file as soon as its code is read, before it runs. */
const TRIPWIRE = `
const Module = require('node:module');
const compile = Module.prototype._compile;
Module.prototype._compile = function (code, file) {
  if (/\\/packs\\/[a-z]+\\/dist\\/|\\/dist\\/(mcp|model|agents|activities|tools|worker)[/.]/.test(file)) require('node:fs').appendFileSync(process.env.TRIPPED, file + '\\n');
  return compile.call(this, code, file);
};`;

describe('without network, and with a tripwire on every tool', () => {
  let folder: string;
  let tripped: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-tripwire-'));
    tripped = join(folder, 'tripped');
    writeFileSync(join(folder, 'tripwire.cjs'), TRIPWIRE);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (args: string[], words = withoutNetwork()) => {
    const [command, ...rest] = [...words, process.execPath, '--require', join(folder, 'tripwire.cjs'), MAIN, ...args];
    const env = { PATH: process.env.PATH, TRIPPED: tripped, HOLDFAST_HOME: join(folder, 'home') };
    const { status, stdout, stderr } = spawnSync(command!, rest, { cwd: folder, env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each([
    ['verify', [MEMO, '--trust', inIncidents('trust.json')], 0, /intact since signing/],
    ['what-if', [MEMO, '--rules', inIncidents('rules-fixed.json')], 1, /asked, approved → refused/],
    ['report', [MEMO, '-o', 'memo.html'], 0, /memo\.html/],
    ['replay', [MEMO], 0, /1 same, 0 differ/],
  ] as const)('%s answers, and nothing that can act is even loaded', (command, args, status, answer) => {
    const ran = run(['audit', command, ...args]);
    expect({ ...ran, answered: answer.test(ran.stdout) }).toMatchObject({ status, answered: true });
    expect(existsSync(tripped)).toBe(false);
  });

  it('shows a command that has tools: it trips the wire', () => {
    run(['tools', 'list'], []);
    expect(readFileSync(tripped, 'utf8')).toMatch(/packs\/[a-z]+\/dist\//);
  });
});
