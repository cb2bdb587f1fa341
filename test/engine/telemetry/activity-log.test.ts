import { ModelFailure } from '../../../src/model/provider';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, loggedErrors, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import { capturedLog, type Line } from '../../support/captured-log';

const invoice = { invoice: 'INV-7', cents: 700 };
const digits = expect.stringMatching(/^[0-9a-f]{12}$/);

describe('the log of a turn', () => {
  it('has lines for steps, calls, the question, the decision and the end, with the turn’s ids and without content', async () => {
    const captured = capturedLog('info');
    const look = reads('look', (input, { log }) => (log.info({ rows: 3 }, 'looked'), { secret_result: input }));
    const pay = pays('pay', [], { preview: () => 'secret preview' });
    const script = [ask(['look', { key: 'secret input' }]), ask(['pay', invoice]), say('secret answer')];
    await withEngine({ tools: [look, pay], script, log: captured.log }, async ({ start }) => {
      const turn = await start('secret question');
      const [call] = await turn.waitForPending();
      await turn.approve(call!.digest, { by: 'ana', note: 'secret note' });
      const view = await turn.result();

      const step = { agent: 'tester', input_tokens: 100, output_tokens: 10, cost_usd: 0, took_ms: expect.any(Number) };
      const ofPay = { call_id: '2.1', tool: 'pay', digest: call!.digest.slice(0, 12) };
      const [first, ...lines] = captured.lines();
      expect(first).toMatchObject({ msg: expect.stringContaining('no price is known'), models: ['scripted'] }); // once, at the start
      expect(lines).toMatchObject([
        { msg: 'step taken', step: 1, next: 'calls', calls: 1, ...step },
        { msg: 'looked', rows: 3, call_id: '1.1', tool: 'look' }, // a line of the tool itself
        { msg: 'call ended', call_id: '1.1', tool: 'look', class: 'read', digest: digits, state: 'succeeded', attempts: 1 },
        { msg: 'step taken', step: 2 },
        { msg: 'question asked', ...ofPay, expires_at: expect.any(String) },
        { msg: 'decision', ...ofPay, decision: 'approve', by: 'ana', channel: 'update' },
        { msg: 'call ended', ...ofPay, class: 'destructive', state: 'succeeded', effect: 'applied', dispatch: 1 },
        { msg: 'step taken', step: 3, next: 'end' },
        { msg: 'turn ended', state: 'completed', steps: 3 },
      ]);
      for (const line of lines) expect(line).toMatchObject({ trace_id: view.trace_id, turn_id: turn.id });
      expect(captured.text()).not.toContain('secret');
      expect(captured.text()).not.toContain('INV-7');
    });
  });

  it('has each retry at warn with its code, and a final failure with its code and reason', async () => {
    const captured = capturedLog('info');
    const look = reads('look', () => {
      throw new ToolError('TIMEOUT', 'upstream_slow', 'secret message');
    });
    const busy = new ModelFailure('busy', { type: 'model.overloaded', retryable: true, status: 529, retryAfterMs: 10 });
    const script = [busy, ask(['look', {}]), say('no')];
    await withEngine({ tools: [look], script, log: captured.log }, async ({ start }) => {
      await (await start()).result();
    });
    const failed = captured.said('attempt failed, will be retried');
    expect(failed).toMatchObject([
      { level: 'warn', activity: 'takeStep', code: 'model.overloaded', attempt: 1, retry_in_ms: 10 },
      { level: 'warn', activity: 'runCall', tool: 'look', code: 'holdfast.tool.TIMEOUT', attempt: 1, retry_in_ms: 500 },
      { level: 'warn', activity: 'runCall', tool: 'look', code: 'holdfast.tool.TIMEOUT', attempt: 2, retry_in_ms: 1000 },
    ]);
    expect(captured.said('call ended')).toMatchObject([
      { level: 'info', state: 'failed', code: 'TIMEOUT', reason: 'upstream_slow', attempts: 3 },
    ]);
    expect(captured.text()).not.toContain('secret message');
  });

  it('has a denial with the step after it', async () => {
    const captured = capturedLog('info');
    const script = [ask(['pay', invoice]), say('not paid')];
    await withEngine({ tools: [pays('pay', [])], script, log: captured.log }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.deny(call!.digest, { by: 'bob' });
      await turn.result();
      expect(captured.said('decision')).toMatchObject([
        { decision: 'deny', by: 'bob', call_id: '1.1', tool: 'pay', digest: digits },
      ]);
      expect(captured.said('turn ended')).toMatchObject([{ state: 'refused' }]);
    });
  });

  it('has a call in doubt at error, with what to do, once its probe has found nothing out, and who settled it', async () => {
    const captured = capturedLog('info');
    const pay = pays('pay', [], {
      run: () => {
        throw new Error('connection lost');
      },
      reconcile: async () => {
        captured.log.info('the bank is asked');
        expect(inDoubt()).toEqual([]);
        return { outcome: 'unknown', evidence: 'The bank does not say.' };
      },
      reconcileMs: 1000,
    });
    const inDoubt = () => loggedErrors.filter(({ message }) => message === 'a call is in doubt');
    loggedErrors.length = 0;
    await withEngine({ tools: [pay], script: [ask(['pay', invoice]), say('done')], log: captured.log }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      await turn.approve(call!.digest, { by: 'ana' });
      await eventually('in doubt', async () => (await turn.status()).state === 'in_doubt');
      await turn.settle(call!.digest, 'applied', { by: 'bob' });
      await turn.result();
    });
    expect(captured.lines().filter(({ level }) => level === 'error')).toMatchObject([
      { msg: 'a tool threw an exception', tool: 'pay', err: { message: 'connection lost' }, todo: expect.any(String) },
    ]);
    expect(captured.said('call ended: in doubt')).toMatchObject([{ level: 'warn', tool: 'pay', effect: 'in_doubt' }]);
    expect(captured.said('the bank is asked').length).toBeGreaterThan(0);
    expect(inDoubt()).toMatchObject([
      { meta: { tool: 'pay', call_id: '1.1', todo: expect.stringContaining('holdfast settle') } },
    ]);
    expect(captured.said('call settled')).toMatchObject([{ level: 'info', outcome: 'applied', by: 'bob', digest: digits }]);
  });

  it('has a fault of the engine at error, with the error and what to do', async () => {
    const captured = capturedLog('info');
    await withEngine({ script: [], log: captured.log }, async ({ client }) => {
      const turn = await client.start({ agent: 'nobody', message: 'Do it.' });
      await expect(turn.result()).resolves.toMatchObject({ state: 'failed' });
    });
    const [fault] = captured.said('attempt failed') as [Line];
    expect(fault).toMatchObject({ level: 'error', code: 'holdfast.unknown_agent', todo: expect.stringContaining('deploy') });
    expect(fault.err.message).toContain('nobody');
    expect(captured.said('turn ended')).toMatchObject([
      { level: 'warn', state: 'failed', reason: expect.stringContaining('nobody') },
    ]);
  });

  it('never makes a call fail when a line cannot be written', async () => {
    const broken = () => {
      throw new Error('the disk of the log is full');
    };
    const lines: object[] = [];
    const log = { debug: broken, info: broken, warn: () => undefined, error: (fields: object) => void lines.push(fields) };
    await withEngine({ tools: [reads('look', () => 1)], script: [ask(['look', {}]), say('done')], log }, async ({ start }) => {
      expect((await (await start()).result()).calls).toMatchObject([{ state: 'succeeded' }]);
    });
    expect(lines).not.toEqual([]);
  });
});
