import { join } from 'node:path';
import { readDevState } from '../../../src/devserver/state-file';
import { eventually } from '../../engine/support/engine';
import { replayAll } from '../support/replay-all';
import { lines, run as runCli } from '../../support/command-line';
import { start, type Running } from './support/cli';
import { startDev, type Dev } from './support/dev';
import { family } from './support/processes';

const APP = join(__dirname, 'fixtures/call.app.ts');

describe('holdfast call, beside an embedded stack', () => {
  let dev: Dev;
  beforeAll(async () => (dev = await startDev(['--app', APP])), 180_000);
  const children: Running[] = [];
  afterAll(async () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    await dev?.stop();
  });

  const holdfast = (...args: string[]) => runCli(['call', ...args], dev.env);
  const following = (...args: string[]) => {
    const child = start(['call', ...args], dev.env);
    children.push(child);
    return child;
  };
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli([...args, '--json'], dev.env);
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };

  it('prints the envelope with --json, the data without; progress goes to standard error unless --no-stream', async () => {
    const told = await holdfast('slow', '{}', '--json');
    expect(told.code).toBe(0);
    const [envelope, ...rest] = lines(told.stdout);
    expect(rest).toEqual([]);
    expect(envelope).toMatchObject({ success: true, data: 'done', metadata: { tool_name: 'slow' } });
    expect(told.stderr).toContain('half way (50 %)');
    const silent = await holdfast('slow', '{}', '--no-stream');
    expect(silent).toMatchObject({ code: 0, stdout: '"done"\n' });
    expect(silent.stderr).not.toContain('half way');
  });

  it('reads the input from standard input for "-"', async () => {
    const { code, stdout } = await runCli(['call', 'report', '-', '--json'], dev.env, '{"size": 3}');
    expect({ code, data: JSON.parse(stdout).data }).toEqual({
      code: 0,
      data: expect.objectContaining({ filename: 'r.bin', size: 3, content_base64: 'BwcH' }),
    });
  });

  it('exits 1 for an unknown tool and for a wrong input, with the code in the envelope', async () => {
    const unknown = await holdfast('no_such_tool', '{}', '--json');
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ success: false, error: { code: 'TOOL_NOT_FOUND' } });
    const wrong = await holdfast('pay', '{"size": "many"}');
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('INVALID_PARAMS schema_violation') });
    const debug = await holdfast('report', '{"size": 1}', '--debug', '--json');
    expect(JSON.parse(debug.stdout).metadata).toMatchObject({ debug: 'not_allowed' });
  });

  it('shows its card and says where to approve while it waits; pending, list, show, approve and watch take its id', async () => {
    const child = following('pay', '{"size": 7}', '--id', 'pay-1', '--by', 'bo', '--json');
    const id = await eventually(
      'it asks',
      async () => /`size`\s+│\s+7\s.*holdfast approve (call\/\S+) --call [0-9a-f]{12}\n/s.exec(child.output.stderr)?.[1],
    );
    const digest = /call ([0-9a-f]{64})\n/.exec(child.output.stderr)![1]!;
    const waits = await eventually('it is listed', async () => (await json('pending')).find((turn: any) => turn.turn_id === id));
    expect(waits).toMatchObject({ agent: 'tester', requester: 'bo', calls: [{ tool: 'pay', digest }] });
    expect(await json('show', id)).toMatchObject({ turn_id: id, state: 'awaiting_approval', pending: [digest] });
    expect(await json('approve', id, '--call', digest.slice(0, 12), '--by', 'ana')).toMatchObject({ accepted: true });
    const { code, stdout } = await child.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { paid: 7 } });
    const { stdout: events } = await runCli(['watch', id, '--json'], dev.env);
    const seen = lines(events);
    expect(seen[0]).toMatchObject({ type: 'turn_started', message: 'call pay {"size":7}' });
    expect(seen.at(-1)).toMatchObject({ type: 'turn_completed', state: 'completed' });
    const listed = await eventually('it is listed as done', async () =>
      (await json('list', '--state', 'completed')).find((turn: any) => turn.turn_id === id),
    );
    expect(listed).toMatchObject({ workflow_id: id, agent: 'tester' });
  });

  it('exits 3 for a call that is denied; a call that the user leaves goes on, and can be cancelled', async () => {
    const denied = following('pay', '{"size": 8}', '--id', 'pay-2');
    const digest = await eventually('it asks', async () => /call ([0-9a-f]{64})\n/.exec(denied.output.stderr)?.[1]);
    await json('deny', 'call/pay-2', '--call', digest, '--note', 'No.');
    expect(await denied.ended).toMatchObject({ code: 3, stdout: expect.stringContaining('CONFIRMATION_REQUIRED denied') });

    const left = following('pay', '{"size": 9}', '--id', 'pay-3');
    await eventually('it asks', async () => left.output.stderr.includes('holdfast approve'));
    left.kill('SIGINT');
    const { code, stderr } = await left.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('The call continues in the background. Follow it with: holdfast watch call/pay-3');
    expect(await json('cancel', 'call/pay-3')).toEqual({ requested: true, turn_id: 'call/pay-3' });
    await eventually('it is cancelled', async () => (await json('show', 'call/pay-3')).state === 'cancelled');
  });

  it('has no chain beside it, since the app is the user’s own', () => {
    expect(dev.facts.chain_url).toBeNull();
    expect(family(dev.child.pid!).filter(({ command }) => command.includes('anvil'))).toEqual([]);
  });

  it('gives an address for a large file, and the stack’s own gateway serves the file', async () => {
    const { stdout } = await holdfast('report', '{"size": 1500000}', '--json');
    const { data } = JSON.parse(stdout);
    const { http_url } = dev.facts;
    expect(new URL(data.url).port).toBe(new URL(http_url).port);
    const response = await fetch(data.url.replace('localhost', '127.0.0.1'));
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(1_500_000);
  });

  it('has a gateway of its own for production, over the same store, until Ctrl-C', async () => {
    const { stdout } = await holdfast('report', '{"size": 1000000}', '--json');
    const gateway = start(['gateway', '--http-port', '0', '--json'], { ...dev.env, HOLDFAST_LOG_LEVEL: 'error' });
    children.push(gateway);
    const { url } = await eventually('it listens', async () => lines(gateway.output.stdout)[0]);
    const { pathname, search } = new URL(JSON.parse(stdout).data.url);
    expect((await fetch(`${url}${pathname}${search}`)).status).toBe(200);
    expect((await fetch(`${url}${pathname}${search}x`)).status).toBe(403);
    gateway.kill('SIGINT');
    expect(await gateway.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('leaves only histories that replay', async () => {
    expect(await replayAll(readDevState(dev.env.HOLDFAST_HOME!)!.address)).toBeGreaterThan(6);
  });
});
