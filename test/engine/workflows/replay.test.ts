import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { historyFromJSON, type History } from '@temporalio/common/lib/proto-utils';
import { Worker } from '@temporalio/worker';
import { traceSinks } from '../../../src/telemetry/traces/workflow-spans';
import { recordedCallFaults } from '../../support/recorded-calls';
import { approvalsOf, type RunCallInput, type TurnInput } from '../../../src/shared/io/activities';
import { workflowId } from '../../../src/shared/ids';
import { workflowBundlePath } from '../../../src/worker/workflow-bundle';
import { recordedCalls, recomputeDigests } from '../../support/recompute-digests';

const FOLDER = join(__dirname, '../../histories');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
/** All other histories are of turns. */
const OTHERS: Record<string, string> = {
  'call.json': 'call',
  'session.json': 'session',
  'intent.json': 'intent',
  'budget.json': 'budget',
  'callback.json': 'callback',
  'firing.json': 'firing',
};
const RUN_CALLS = NAMES.filter((name) => ['turn', 'call'].includes(OTHERS[name] ?? 'turn'));
const load = (name: string) => historyFromJSON(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')));

function replay(name: string, codePath = workflowBundlePath()): Promise<void> {
  const history = load(name);
  return Worker.runReplayHistory(
    { workflowBundle: { codePath }, sinks: traceSinks(null) },
    history,
    OTHERS[name] ? `${OTHERS[name]}/frozen` : idOf(history),
  );
}

/** The workflow id of a turn; the digests of its calls cover it. */
function idOf({ events }: History): string {
  const [argument] = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
  return workflowId(defaultPayloadConverter.fromPayload<TurnInput>(argument!).turn_id);
}

/** Replays with workflow code in which `from` stands changed to `to`. */
async function replayChanged(name: string, ...changes: [from: RegExp, to: string][]): Promise<void> {
  let code = readFileSync(workflowBundlePath(), 'utf8');
  for (const [from, to] of changes) {
    if (!from.test(code)) throw new Error(`The bundle has no ${from}; mend this test`);
    code = code.replace(from, to);
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  try {
    await writeFile(join(folder, 'bundle.js'), code);
    await replay(name, join(folder, 'bundle.js'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('frozen histories', () => {
  it('are of turns that are plain, with approval, with retries, and of every other kind of workflow', () => {
    expect(NAMES).toEqual(expect.arrayContaining(['approval.json', 'plain.json', 'retries.json', ...Object.keys(OTHERS)]));
  });

  it.each(NAMES)('%s replays with the present workflow code', (name) => replay(name));

  it.each(RUN_CALLS)('%s records calls whose digests can be computed anew', (name) => {
    expect(recomputeDigests(load(name))).toBeGreaterThan(0);
  });
});

describe('frozen histories of turns that are bound to a store', () => {
  const bound = ['bound.json', 'bound_continued.json'];
  const [first, second] = bound.map((name) => load(name).events!) as [History['events'], History['events']];

  it('are two runs of one turn: with an edit, and an approval in each', () => {
    expect(second![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId).toBe(
      first![0]!.workflowExecutionStartedEventAttributes!.originalExecutionRunId,
    );
    const [paid] = recordedCalls(load('bound_continued.json'));
    expect(paid!.input.call).toMatchObject({ class: 'destructive', revision: 2, earlier: [{ decision: 'edit' }] });
    expect(approvalsOf(paid!.input).map(({ by }) => by)).toEqual(['ana', 'bob']);
  });

  it.each(bound)('%s: each call’s digest covers agent, definition, target and store', (name) => {
    const calls = recordedCalls(load(name));
    expect(calls).toHaveLength(1);
    const fields: [of: 'turn' | 'call', field: string][] = [
      ['turn', 'store_id'],
      ['turn', 'agent'],
      ['turn', 'first_execution_run_id'],
      ['turn', 'workflow_id'],
      ['call', 'definition_ref'],
      ['call', 'target_hash'],
    ];
    for (const [of, field] of fields) {
      const copy = structuredClone(calls[0]!);
      expect(recordedCallFaults(copy)).toEqual([]);
      Object.assign(copy.input[of], { [field]: 'f'.repeat(32) });
      expect(recordedCallFaults(copy)).not.toEqual([]);
    }
  });
});

describe('workflow code that would schedule a call with another input', () => {
  const otherInput: [RegExp, string] = [
    /const \{ id, tool, version, input, input_ref \} = call;/,
    'const { id, tool, version, input_ref } = call; const input = { ...call.input, key: "other" };',
  ];
  const noCheck: [RegExp, string] = [/if \(digest !== admission\.digest\)/, 'if (false)'];

  it('replays when nothing is changed, so that the next tests cannot fail for another reason', () => replayChanged('plain.json'));

  it('fails its own check of the digest', async () => {
    await expect(replayChanged('plain.json', otherInput)).rejects.toThrow(/would be passed has digest/);
  });

  it('fails replay even without that check: the id carries the digest', async () => {
    await expect(replayChanged('plain.json', otherInput, noCheck)).rejects.toThrow(/[Nn]ondeterminism|[Dd]eterminism/);
  });
});

describe('a copy of a history with one recorded argument changed', () => {
  const genuine = recordedCalls(load('approval.json')).find(({ input }) => input.call.class === 'destructive')!;
  const changed = (change: (input: RunCallInput) => void) => {
    const copy = structuredClone(genuine);
    change(copy.input);
    return recordedCallFaults(copy);
  };

  it('has no fault as long as nothing is changed', () => expect(changed(() => undefined)).toEqual([]));

  it.each<[string, (input: RunCallInput) => void]>([
    ['input', (input) => (input.call.input!.cents = 999_999)],
    ['hash of the input', (input) => (input.call.input_hash = 'f'.repeat(64))],
    ['tool', (input) => (input.call.tool = 'refund')],
    ['version', (input) => (input.call.version = '9.9.9')],
    ['class', (input) => (input.call.class = 'read')],
    ['call id', (input) => (input.call.id = '7.7')],
    ['revision', (input) => (input.call.revision = 2)],
    ['dispatch', (input) => (input.call.dispatch = 2)],
    ['preview', (input) => (input.call.preview_ref = 'f'.repeat(64))],
    ['rules', (input) => (input.call.policy_ref = 'f'.repeat(64))],
    ['requester', (input) => (input.turn.requester = 'mallory')],
    ['turn', (input) => (input.turn.turn_id = 'another')],
    ['approval', (input) => (approvalsOf(input)[0]!.digest = 'f'.repeat(64))],
  ])('is found: %s', (_what, change) => expect(changed(change)).not.toEqual([]));

  it("passes Temporal's own replay all the same: that is why the digests are recomputed", async () => {
    const history = load('approval.json');
    for (const event of history.events ?? []) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType?.name !== 'runCall') continue;
      const input = defaultPayloadConverter.fromPayload<RunCallInput>(scheduled.input!.payloads![0]!);
      if (input.call.class !== 'destructive') continue;
      input.call.input!.cents = 999_999;
      scheduled.input!.payloads = [defaultPayloadConverter.toPayload(input)!];
    }
    const options = { workflowBundle: { codePath: workflowBundlePath() }, sinks: traceSinks(null) };
    await Worker.runReplayHistory(options, history, 'turn/frozen');
    expect(() => recomputeDigests(history)).toThrow('does not have the recorded hash');
  });
});
