/** The output of the command line before it connects: help, bad usage, wrong settings. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, run } from '../../support/command-line';

const nowhere = (more: NodeJS.ProcessEnv = {}) =>
  environment({ HOLDFAST_HOME: join(tmpdir(), 'holdfast-no-such-home'), TEMPORAL_ADDRESS: '127.0.0.1:1', ...more });

const COMMANDS = [
  ['dev', '--app', '--port', '--ui-port', '--http-port', '--db', '--headless', '--data'],
  ['worker', '--app', '--data'],
  ['gateway', '--http-port', '--host'],
  ['call', '<tool>', '<json>', '--agent', '--id', '--by', '--no-cache', '--no-retry', '--no-stream', '--debug'],
  ['start', '--hold', '--data'],
  ['run', '--agent', '--session', '--id', '--follow'],
  ['show', '<turn>'],
  ['watch', '<turn>'],
  ['list', '--state', '--agent', '--limit', 'awaiting_approval'],
  ['pending', '--watch'],
  ['approve', '<turn>', '--call', '--by', '--note', '--key', '--role', '--input'],
  ['deny', '<turn>', '--call', '--by', '--note', '--key', '--role'],
  ['answer', '<turn>', '--call', '--value', '--by', '--note', '--key', '--role'],
  ['settle', '<turn>', 'not_applied', '--call', '--by', '--note', '--key', '--role'],
  ['sign', '<turn>', '[decision]', '[outcome]', '--call', '--by', '--note', '--key', '--role', '--input', '--value', '--steer'],
  ['steer', '<turn>', '<text...>', '--by', '--key', '--role'],
  ['keys', 'create', 'list', 'export', 'revoke', 'token'],
  ['trail', '--tool', '--by', '--requester', '--state', '--turn', '--from', '--to', '--limit', '--cursor', 'in_doubt'],
  ['cancel', '<turn>'],
  ['tools', 'check'],
  ['incident', '<turn>', '--output', '--trust'],
  ['config', '--set', '--markdown'],
  ['doctor'],
];

describe('holdfast without a server', () => {
  it.each(COMMANDS)('%s --help lists its arguments and options', async (command, ...words) => {
    const { code, stdout, stderr } = await run([command!, '--help'], nowhere());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['Usage: holdfast', command!, '--json', ...words]) expect(stdout).toContain(word);
  });

  it('config shows the settings and misspelt ones, and ends with the errors', async () => {
    const env = nowhere({ HOLDFAST_HTTP_PORT: '99999', HOLDFAST_TASK_QEUE: 'q', ANTHROPIC_API_KEY: 'sk-secret' });
    const { code, stdout, stderr } = await run(['config', '--set', '--json'], env);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'holdfast: HOLDFAST_HTTP_PORT is "99999"; it must be a port from 1 to 65535.\n',
    });
    expect(stdout).not.toContain('sk-secret');
    expect(JSON.parse(stdout)).toEqual({
      settings: expect.arrayContaining([
        { group: 'The gateway', name: 'HOLDFAST_HTTP_PORT', value: '99999', source: 'environment' },
        { group: 'The model', name: 'ANTHROPIC_API_KEY', value: null, source: 'environment', secret: true },
      ]),
      unknown: [{ name: 'HOLDFAST_TASK_QEUE', meant: 'HOLDFAST_TASK_QUEUE' }],
    });
  });

  it('lists its commands, and prints its version', async () => {
    const { stdout } = await run(['--help'], nowhere());
    for (const [command] of COMMANDS) expect(stdout).toContain(`\n  ${command} `);
    expect(await run(['--version'], nowhere())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('run --help names the default message', async () => {
    const { code, stdout } = await run(['run', '--help'], nowhere());
    expect(code).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toContain('the message; default: "Show what you can do."');
  });

  it.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [[], 'Usage: holdfast'],
    [['run', 'hello'], '--agent <name>'],
    [['show'], "missing required argument 'turn'"],
    [['approve', 'x'], '--call <digest>'],
    [['settle', 'x', 'maybe', '--call', 'y'], 'outcome is "maybe"; it must be applied or not_applied.'],
    [['approve', 'x', '--call', 'y', '--input', '[1]'], 'It must be a JSON object.'],
    [['approve', 'x', '--call', 'y', '--input', '{"a":1,"a":2}'], 'duplicate key'],
    [['sign', 'x', 'maybe', '--call', 'y'], 'decision is "maybe"; it must be approve, deny, settle, edit, answer.'],
    [['sign', 'x'], 'decision is ""; it must be approve, deny, settle, edit, answer.'],
    [['sign', 'x', 'approve'], 'A decision names its calls: --call DIGEST'],
    [['sign', 'x', 'approve', '--steer', 'Stop.'], '--steer goes without a decision'],
    [['steer', 'x'], "missing required argument 'text'"],
    [['list', '--limit', 'many'], "argument 'many' is invalid. It must be a whole number from 1."],
    [['list', '--limit', '0x10'], 'It must be a whole number from 1.'],
    [['dev', '--port', '70000'], 'It must be a port from 0 to 65535.'],
    [['worker', '--data', 'bloomberg'], "argument 'bloomberg' is invalid. Allowed choices are snapshot, edgar."],
    [['worker', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['start', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['dev', '--data', 'edgar'], 'HOLDFAST_EDGAR_USER_AGENT is not set'],
    [['worker', '--app', './no-such-app.ts'], 'There is no app file ./no-such-app.ts.'],
    [['call', 'calculate'], "missing required argument 'json'"],
    [['call', 'calculate', '{oops'], '<json> is not JSON'],
    [['call', 'calculate', '[1]'], '<json> must be a JSON object'],
    [['gateway', '--http-port', 'x'], 'It must be a port from 0 to 65535.'],
    [['show', 'x', 'y'], 'too many arguments'],
    [['trail', '--state', 'praised'], "argument 'praised' is invalid. Allowed choices are rejected, asked"],
    [['trail', '--from', 'yesterday'], 'from is "yesterday"; it must be a day, 2026-01-31, or a time with its zone'],
    [['trail', '--limit', '1001'], 'limit is 1001; it must be a whole number from 1 to 1000.'],
    [['list', '--colour'], "unknown option '--colour'"],
  ])('%j is bad usage: exit 2, and the reason', async (args, reason) => {
    const { code, stdout, stderr } = await run(args, nowhere());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    [{ HOLDFAST_STORE: 'nonsense' }, ['HOLDFAST_STORE', 'file:PATH', 'postgres://']],
    [{ HOLDFAST_MODEL: 'x' }, ['HOLDFAST_MODEL', '"x"', 'anthropic, openai or rehearsal']],
    [{ HOLDFAST_MODEL: 'anthropic' }, ['HOLDFAST_MODEL', 'none of ANTHROPIC_API_KEY']],
    [{ HOLDFAST_HTTP_PORT: '99999' }, ['HOLDFAST_HTTP_PORT', '"99999"', '1 to 65535']],
    [{ ANTHROPIC_BASE_URL: 'not a url' }, ['ANTHROPIC_BASE_URL', '"not a url"', 'http']],
    [{ HOLDFAST_LOG_LEVEL: 'loud' }, ['HOLDFAST_LOG_LEVEL', '"loud"', 'debug']],
    [{ TEMPORAL_PROFILE: 'no-such-profile' }, ['no-such-profile']],
  ])('%j stops every command with one line that names variable, value and allowed values', async (setting, words) => {
    const env = nowhere({ ANTHROPIC_API_KEY: '', ...setting });
    for (const args of [['list'], ['dev', '--headless', '--port', '0']]) {
      const { code, stdout, stderr } = await run(args, env);
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, stdout: '', lines: 1 });
      for (const word of words) expect(stderr).toContain(word);
    }
  });
});
