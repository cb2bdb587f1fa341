/** Kinds of change to the workflow code, each found with its event and sentence, or harmless for the reason that docs/replay.md gives. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, history, replayed as replayedIn, replayedChanged, type Change } from '../../../support/audit/replay/samples';

/** The findings in this one history, as `sentences`. */
async function found(file: string, ...changes: Change[]): Promise<string[]> {
  const [replayed] = await replayedChanged([file], changes);
  if (replayed!.outcome === 'same') return [];
  return replayed!.differences.map(({ sentence }) => sentence);
}

/** Runs before the first step of a turn. */
const BEFORE_FIRST_STEP = /(async function nextStep\(input, turn, data, steers\) \{)/;

describe('a change that Temporal’s own check does not find', () => {
  const CHANGES: [kind: string, change: Change, sentence: RegExp][] = [
    [
      'argument',
      [/all_refused: \(0, state_1\.hasOnlyRefusals\)\(data\),/, 'all_refused: number === 2,'],
      /^event 35: the code would now take step 2 with another input: all_refused would be true, and false was recorded$/,
    ],
    [
      'option',
      [/(takeStep[\s\S]{0,120}?startToCloseTimeout: )'15 minutes'/, "$1'20 minutes'"],
      /^event 5: the code would now take step 1 with another timeout: 20 min, and 15 min was recorded$/,
    ],
    [
      'summary',
      [/return `\$\{call\.class\} \$\{call\.tool\}@\$\{call\.version\}, call \$\{call\.id\}`;/, 'return "another summary";'],
      /^event \d+: the code would now run call 1\.2 pay with another summary: "another summary", and "destructive pay@1\.0\.0, call 1\.2" was recorded$/,
    ],
    [
      'heartbeat',
      [/\n {8}heartbeatTimeout: tool_class_1\.HEARTBEAT_TIMEOUT_MS/, '\n heartbeatTimeout: 7000'],
      /^event \d+: the code would now run call 1\.2 pay with another timeout: 7 s, and .* was recorded$/,
    ],
    [
      'eager dispatch',
      [/allowEagerDispatch: !destructive,/, 'allowEagerDispatch: destructive,'],
      /^event \d+: the code would now run call 1\.2 pay by eager dispatch, which no build has done so far$/,
    ],
    [
      'retry policy',
      [/maximumInterval: '60 seconds' \}/, "maximumInterval: '60 seconds', maximumAttempts: 7 }"],
      /^event 5: the code would now take step 1 with another retry policy: maximum_attempts would be 7, and 30 was recorded$/,
    ],
    [
      'timer',
      [/Math\.max\(1, expires - Date\.now\(\)\)/, '3600000'],
      /^event 21: the code would now wait .* \(timer 1\) with another duration: 1 h, and .* s was recorded$/,
    ],
    [
      'search attribute',
      [/(keyword\)\('state', )state\)/, '$1state === "awaiting_approval" ? "waiting" : state)'],
      /^event 20: the code would now set the search attributes HoldfastTool, HoldfastState with another value: "waiting", and "awaiting_approval" was recorded$/,
    ],
    [
      'answer to a decision',
      [/return \{ accepted: reason === null, reason \};/, 'return { accepted: false, reason };'],
      /^event 27: the code would now answer update .* with another result: accepted would be false, and true was recorded$/,
    ],
    [
      'result',
      [/(step: data\.step,\s+text: data\.text)/, '$1 + "!"'],
      /^event 42: the code would now end with another result: text would be "Paid\.!", and "Paid\." was recorded$/,
    ],
  ];
  let sentences: string[];

  beforeAll(async () => {
    const [replayed] = await replayedChanged(
      [history('approval')],
      CHANGES.map(([, change]) => change),
    );
    expect(replayed).toMatchObject({ outcome: 'differs', temporal: true });
    sentences = replayed!.differences.map(({ sentence }) => sentence);
  });

  it.each(CHANGES)('is found: %s', (_kind, _change, sentence) => {
    expect(sentences).toContainEqual(expect.stringMatching(sentence));
  });

  it('is found where a session starts a turn, and where its title is set', async () => {
    const sentences = await found(
      history('session'),
      [
        /(workflowId\)\(turn_id\),\s+args: \[input\],\s+parentClosePolicy: workflow_1\.ParentClosePolicy\.)ABANDON/,
        '$1TERMINATE',
      ],
      [/(\[contract_1\.MEMO_TITLE\]: data\.title)( \}\);)/, '$1 + "?"$2'],
    );
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^event 10: the code would now start workflow turn\/.* with another parent close policy: "PARENT_CLOSE_POLICY_TERMINATE", and "PARENT_CLOSE_POLICY_ABANDON" was recorded$/,
      ),
    );
    expect(sentences).toContainEqual(
      'event 37: the code would now set the memo holdfast_title with another value: "Thawed?", and "Thawed" was recorded',
    );
  });

  it('is found where a call is no longer dispatched eagerly', async () => {
    expect(await found(history('plain'), [/allowEagerDispatch: !destructive,/, 'allowEagerDispatch: destructive,'])).toEqual(
      ['1.1', '1.2'].map((id) =>
        expect.stringMatching(
          new RegExp(
            `^event \\d+: the code would now run call ${id} lookup without eager dispatch, which no build has done so far$`,
          ),
        ),
      ),
    );
  });

  it('is found in what a run passes on to the next', async () => {
    const sentences = await found(bundle('continued'), [/message: '', resume:/, "message: 'Again.', resume:"]);
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^event \d+: the code would now go on in another run with another input: message would be "Again\.", and "" was recorded$/,
      ),
    );
  });
});

describe('a change of the commands', () => {
  it.each<[kind: string, file: string, sentence: RegExp, changes: Change[]]>([
    [
      'order',
      history('plain'),
      /^event 11: the code would now run call 1\.2 lookup, where it was recorded to run call 1\.1 lookup, in another order$/,
      [[/const waiting = \[\.\.\.items\];/, 'const waiting = [...items].reverse();']],
    ],
    [
      'added activity',
      history('plain'),
      /^event 5: the code would now make room in the conversation, where it was recorded to take step 1$/,
      [[BEFORE_FIRST_STEP, '$1 if (data.step === 0) await (0, activities_1.compact)({ turn });']],
    ],
    [
      'removed approval',
      history('approval'),
      /^event 20: the code would now .*run call 1\.2 pay|^event 20: the code would no longer set the search attributes .*; next it would run call 1\.2 pay$/,
      [[/if \(call\.verdict !== 'ask' && asking\.reasons\.length === 0\)/, 'if (true)']],
    ],
    [
      'activity renamed',
      history('plain'),
      /^event 5: the code would now run activity takeOneStep \(1\), where it was recorded to take step 1$/,
      [[/\{ takeStep: exports\.takeStep \}/, '{ takeOneStep: exports.takeStep }']],
    ],
    [
      'another input of a call, past the code’s own check',
      history('plain'),
      /^event 11: the code would now run call 1\.1 lookup under the id 1\.1:lookup:[0-9a-f]{16}, and 1\.1:lookup:[0-9a-f]{16} was recorded$/,
      [
        [
          /const \{ id, tool, version, input, input_ref \} = call;/,
          'const { id, tool, version, input_ref } = call; const input = { ...call.input, key: "other" };',
        ],
        [/if \(digest !== admission\.digest\)/, 'if (false)'],
      ],
    ],
    [
      'code that fails',
      history('plain'),
      /^event 5: the code would fail here: .*out of paper/,
      [[BEFORE_FIRST_STEP, '$1 throw new Error("out of paper");']],
    ],
  ])('is found: %s', async (_kind, file, sentence, changes) => {
    const [first] = await found(file, ...changes);
    expect(first).toMatch(sentence);
  });
});

describe('a patch', () => {
  const patched: Change = [
    BEFORE_FIRST_STEP,
    '$1 if (data.step === 0 && !(0, workflow_1.patched)("new-thing")) throw new Error("not marked");',
  ];
  let folder: string;
  let file: string;

  /** The frozen history as a worker would have written it whose code has the patch: a marker, and Temporal's note of it. */
  beforeAll(async () => {
    const marked = shifted(JSON.parse(readFileSync(history('plain'), 'utf8')), 4, 2) as { events: object[] };
    const payload = (value: unknown, metadata = {}) => ({
      metadata: { encoding: base64('json/plain'), ...metadata },
      data: base64(JSON.stringify(value)),
    });
    const details = { 'patch-data': { payloads: [payload({ id: 'new-thing', deprecated: false })] } };
    marked.events.splice(
      4,
      0,
      {
        eventId: '5',
        eventType: 'EVENT_TYPE_MARKER_RECORDED',
        markerRecordedEventAttributes: { markerName: 'core_patch', details, workflowTaskCompletedEventId: '4' },
      },
      {
        eventId: '6',
        eventType: 'EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
        upsertWorkflowSearchAttributesEventAttributes: {
          workflowTaskCompletedEventId: '4',
          searchAttributes: {
            indexedFields: { TemporalChangeVersion: payload(['new-thing'], { type: base64('KeywordList') }) },
          },
        },
      },
    );
    folder = await mkdtemp(join(tmpdir(), 'holdfast-replay-'));
    file = join(folder, 'patched.json');
    await writeFile(file, JSON.stringify(marked));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is the same where the code has it', async () => expect(await found(file, patched)).toEqual([]));

  it('is found where the code has lost it', async () => {
    const [replayed] = await replayedIn([file]);
    expect(replayed!.differences[0]!.sentence).toBe(
      'event 5: the code would no longer mark the patch new-thing; next it would take step 1',
    );
  });
});

/** Every number of an event after `from` grows by `by`. */
function shifted(value: unknown, from: number, by: number, key = ''): unknown {
  if (/eventId$/i.test(key) && Number(value) > from) return String(Number(value) + by);
  if (Array.isArray(value)) return value.map((one) => shifted(one, from, by));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shifted(one, from, by, name)]));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a change that is harmless', () => {
  it('is passed over: how a cancellation is awaited, `patched` and `deprecatePatch`', async () => {
    const sentences = await found(
      history('approval'),
      [
        /cancellationType: workflow_1\.ActivityCancellationType\.WAIT_CANCELLATION_COMPLETED/,
        'cancellationType: workflow_1.ActivityCancellationType.TRY_CANCEL',
      ],
      [
        BEFORE_FIRST_STEP,
        '$1 if ((0, workflow_1.patched)("new-thing")) throw new Error("not in an old history"); (0, workflow_1.deprecatePatch)("old-thing");',
      ],
    );
    expect(sentences).toEqual([]);
  });
});
