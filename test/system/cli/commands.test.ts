import { readDevState } from '../../../src/devserver/state-file';
import { replayAll } from '../support/replay-all';
import { eventually } from '../../engine/support/engine';
import { lines, run as runCli } from '../../support/command-line';
import { start, type Running } from './support/cli';
import { startDev, type Dev } from './support/dev';

const MEMO = 'Prepare a credit memo on AAPL against its peers and send it to credit-committee@bank.example.';
const VIEW_FIELDS = [
  ...['turn_id', 'workflow_id', 'run_id', 'agent', 'session_id', 'requester', 'state', 'head', 'step', 'text', 'usage', 'calls'],
  ...['pending', 'ignored_signals', 'started_at', 'ended_at', 'ui_url'],
];
const CALL_FIELDS = [
  ...['id', 'tool', 'version', 'class', 'digest', 'state', 'idempotency_key', 'approval', 'effect', 'attempts', 'error'],
  ...['result_summary', 'result_ref'],
];
const EVENTS =
  /^(turn_started|step_started|step_completed|tool_started|tool_progress|tool_retrying|tool_result|tool_error|approval_requested|approval_decided|turn_completed)$/;

describe('the commands, beside an embedded stack that they find by themselves', () => {
  let dev: Dev;
  beforeAll(async () => (dev = await startDev()), 180_000);
  const children: Running[] = [];
  afterAll(async () => {
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
    await dev?.stop();
  });

  const follow = (id: string, ...more: string[]) => {
    const child = start(['run', '--agent', 'credit-analyst', '--id', id, '--follow', ...more, MEMO], dev.env);
    children.push(child);
    return child;
  };

  const holdfast = (...args: string[]) => runCli(args, dev.env);
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(...args, '--json');
    expect({ code, stderr, args }).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(stdout) as any;
  };
  const started = async (...args: string[]): Promise<string> =>
    (await json('run', '--agent', 'credit-analyst', ...args, MEMO)).turn_id;
  /** Starts a turn, and waits until its memo waits for approval. */
  const waiting = async (...args: string[]) => {
    const turn = await started(...args);
    const digest = await eventually('the memo waits', async () => (await json('show', turn)).pending[0] as string | undefined);
    return { turn, digest };
  };
  const ended = (turn: string) =>
    eventually('the turn has ended', async () => {
      const view = await json('show', turn);
      return view.ended_at !== null && view;
    });

  it('doctor --json exits 0 when a turn can run', async () => {
    const { ok, findings } = await json('doctor');
    expect(ok).toBe(true);
    expect(findings.map(({ what }: { what: string }) => what)).toEqual(
      expect.arrayContaining(['settings', 'store', 'Temporal', 'namespace', 'search attributes', 'worker']),
    );
  });

  it('doctor says that nobody polls another queue', async () => {
    const { code, stdout } = await runCli(['doctor'], { ...dev.env, HOLDFAST_TASK_QUEUE: 'nobody-polls-this' });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ worker .*no worker polls the task queue nobody-polls-this.*holdfast worker/);
  });

  it('run --id twice gives one turn; with another message it is refused', async () => {
    const first = await json('run', '--agent', 'credit-analyst', '--id', 'twice-1', MEMO);
    expect(first).toMatchObject({ turn_id: 'twice-1', workflow_id: 'turn/twice-1' });
    expect(await json('run', '--agent', 'credit-analyst', '--id', 'twice-1', MEMO)).toEqual(first);
    const other = await holdfast('run', '--agent', 'credit-analyst', '--id', 'twice-1', 'Something else.');
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain('The id "twice-1" has been used for another agent, message or session.');
    expect((await json('list')).filter(({ turn_id }: { turn_id: string }) => turn_id === 'twice-1')).toHaveLength(1);
    await json('cancel', 'twice-1');
  });

  it('show, pending, approve with a prefix of 12, and watch --json to the end', async () => {
    const { turn, digest } = await waiting();
    const view = await json('show', turn);
    for (const field of VIEW_FIELDS) expect(view).toHaveProperty(field);
    for (const call of view.calls) for (const field of CALL_FIELDS) expect(call).toHaveProperty(field);
    expect(view).toMatchObject({ turn_id: turn, state: 'awaiting_approval', pending: [digest], ended_at: null });

    const waits = (await json('pending')).find(({ turn_id }: { turn_id: string }) => turn_id === turn);
    expect(waits.calls).toEqual([expect.objectContaining({ tool: 'send_credit_memo', digest, state: 'waiting' })]);
    const { stdout } = await holdfast('pending');
    expect(stdout).toContain(`holdfast approve ${turn} --call ${digest}`);

    const wrong = await holdfast('approve', turn, '--call', '0'.repeat(64));
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/^holdfast: Not accepted: .+\n$/);
    const short = await holdfast('approve', turn, '--call', digest.slice(0, 11));
    expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining('Not accepted: ') });
    const unsettled = await holdfast('settle', turn, '--call', digest, 'applied');
    expect(unsettled).toMatchObject({ code: 1, stderr: expect.stringContaining('Not accepted: ') });

    expect(await json('approve', turn, '--call', digest.slice(0, 12), '--by', 'ana')).toMatchObject({ accepted: true });
    const { code, stdout: events } = await holdfast('watch', turn, '--json');
    expect(code).toBe(0);
    const seen = lines(events);
    for (const event of seen) expect(event).toMatchObject({ at: expect.any(String), type: expect.stringMatching(EVENTS) });
    expect(seen[0]).toMatchObject({ type: 'turn_started', turn_id: turn, message: MEMO });
    expect(seen.at(-1)).toMatchObject({ type: 'turn_completed', state: 'completed' });
    expect(seen).toContainEqual(expect.objectContaining({ type: 'approval_decided', decision: 'approve', by: 'ana', digest }));

    const again = await holdfast('approve', turn, '--call', digest);
    expect(again).toMatchObject({ code: 1, stderr: 'holdfast: Not accepted: the turn has ended.\n' });
    const late = await holdfast('cancel', turn);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('the turn has ended') });
  });

  it('find a turn by the key that it was started under, and show the key beside its id', async () => {
    const key = 'INV 7/2026';
    const { turn, digest } = await waiting('--id', key);
    expect(turn).toMatch(/^k_[0-9a-f]{40}$/);
    expect(await json('show', key)).toMatchObject({ turn_id: turn, key });
    for (const args of [['show', key], ['list'], ['pending']])
      expect((await holdfast(...args)).stdout).toMatch(new RegExp(`${turn}.*\\(key ${key}\\)`));
    expect(await json('deny', key, '--call', digest, '--by', 'ana')).toMatchObject({ accepted: true });
    expect((await holdfast('watch', key)).stdout).toContain('denied by ana');
    const exported = await holdfast('audit', 'export', key, '-o', '-');
    expect(exported.stdout).toContain(`turn/${turn}`);
    expect(await holdfast('cancel', key)).toMatchObject({ code: 1, stderr: expect.stringContaining('the turn has ended') });
  });

  it('run --follow of a turn that is denied exits 3; its lines are plain', async () => {
    const following = follow('denied-1');
    const digest = await eventually('it asks', async () => /^ {4}call ([0-9a-f]{64})$/m.exec(following.output.stdout)?.[1]);
    const { code, stdout } = await holdfast(
      'deny',
      'denied-1',
      '--call',
      digest,
      '--by',
      'ana',
      '--note',
      'Too \x1b[31mred\x07.',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Accepted: deny ${digest} by ana(: the call [a-z ]+)?\\.\\n$`));
    const followed = await following.ended;
    expect(followed.code).toBe(3);
    expect(followed.stdout).toContain('send_credit_memo: denied by ana');
    expect(followed.stdout).toMatch(/denied-1 {2}refused/);
    expect(followed.stdout).not.toMatch(/\x1b|\r|\x07/);
    expect((await json('list', '--state', 'refused')).map(({ turn_id }: { turn_id: string }) => turn_id)).toContain('denied-1');
  });

  it('run --follow exits 1 for an agent that nobody serves, and names the agents that are served', async () => {
    const { code, stdout } = await holdfast('run', '--agent', 'no-such-agent', '--follow', 'Hello.');
    expect(code).toBe(1);
    expect(stdout).toContain('no agent "no-such-agent"; it serves: credit-analyst');
  });

  it('run --follow exits 0 for a completed turn; with --json it is JSON lines: the start, the events, the view', async () => {
    const following = follow('done-1', '--json');
    const asked = await eventually('it asks', async () => /"digest":"([0-9a-f]{64})"/.exec(following.output.stdout)?.[1]);
    await json('approve', 'done-1', '--call', asked);
    const { code, stdout } = await following.ended;
    expect(code).toBe(0);
    const seen = lines(stdout);
    expect(seen[0]).toMatchObject({ turn_id: 'done-1' });
    expect(seen.slice(1, -1).map(({ type }) => type)).toEqual(expect.arrayContaining(['turn_started', 'turn_completed']));
    expect(seen.at(-1)).toMatchObject({ state: 'completed', turn_id: 'done-1' });
  });

  it('Ctrl-C during run --follow leaves the turn running, says so, and does not look like success', async () => {
    const following = follow('left-1');
    await eventually('it waits', async () => following.output.stdout.includes('waits for approval'));
    following.kill('SIGINT');
    const { code, stderr } = await following.ended;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'The turn continues in the background. Follow it with: holdfast watch left-1\n',
    });
    expect(await json('show', 'left-1')).toMatchObject({ state: 'awaiting_approval' });

    expect(await json('cancel', 'left-1')).toEqual({ requested: true, turn_id: 'left-1' });
    expect(await ended('left-1')).toMatchObject({ state: 'cancelled', pending: [] });
    const cancelled = await eventually('it is listed', async () => {
      const turns = await json('list', '--state', 'cancelled', '--agent', 'credit-analyst');
      return turns.find(({ turn_id }: { turn_id: string }) => turn_id === 'left-1');
    });
    expect(cancelled).toMatchObject({ state: 'cancelled', agent: 'credit-analyst' });
  });

  it.each([
    [['show', 'no-such-turn']],
    [['watch', 'no-such-turn']],
    [['cancel', 'no-such-turn']],
    [['approve', 'no-such-turn', '--call', 'a'.repeat(12)]],
    [['settle', 'no-such-turn', '--call', 'a'.repeat(12), 'applied']],
    [['show', '../no-such-turn']],
  ])('%j says that there is no such turn', async (args) => {
    const { code, stdout, stderr } = await holdfast(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^holdfast: There is no turn "(\.\.\/)?no-such-turn" in this namespace\. .+\n$/);
  });

  it('list takes --limit, and refuses an unknown state', async () => {
    expect(await json('list', '--limit', '1')).toHaveLength(1);
    const { code, stderr } = await holdfast('list', '--state', 'odd');
    expect(code).toBe(2);
    expect(stderr).toContain('There is no state "odd"; states: running,');
  });

  it('leaves only histories that replay', async () => {
    expect(await replayAll(readDevState(dev.env.HOLDFAST_HOME!)!.address)).toBeGreaterThan(3);
  });
});
