/** The content of a bundle as plain data, for the recorded sample bundles. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { readCaseFile, type CallCase, type CaseFile } from '../../../../src/audit/case-file';
import { handLines } from '../../../support/hand-bundle';

const BUNDLES = join(__dirname, '../../../bundles');
const caseOf = (name: string) => readCaseFile(createReadStream(join(BUNDLES, `${name}.jsonl`)));
const said = ({ decisions }: CallCase) => decisions.map(({ decision, by }) => `${decision} ${by}`.trim());
const facts = ({ turns }: CaseFile) =>
  turns[0]!.calls.map((call) => [call.id, call.revision, call.tool, call.state, call.effect, said(call)]);

describe('a case file', () => {
  it('names the request, the requester, the usage and the end of the turn', async () => {
    const { turns, fault, end } = await caseOf('plain');
    expect(fault).toBeNull();
    expect(end).not.toBeNull();
    expect(turns).toHaveLength(1);
    const [turn] = turns;
    expect(turn).toMatchObject({ state: 'completed', requester: 'local', complete: true, hasHistory: true, direct: false });
    expect(turn!.asked).toBeTruthy();
    expect(turn!.answer).toBeTruthy();
    expect(turn!.steps.map(({ step, model }) => [step, model])).toEqual([
      [1, 'scripted'],
      [2, 'scripted'],
    ]);
    expect(turn!.usage.inputTokens).toBe(200);
    expect(turn!.calls[0]!.input).not.toBeNull();
    expect(turn!.calls[0]!.result).not.toBeNull();
  });

  it.each([
    ['approval', [['1.1', 1, 'pay', 'succeeded', 'applied', ['approve ana']]]],
    ['denied', [['1.1', 1, 'pay', 'denied', 'refused', ['deny ana']]]],
    ['expired', [['1.1', 1, 'pay', 'expired', 'refused', ['expired']]]],
    ['cancelled', [['1.1', 1, 'pay', 'cancelled', 'refused', []]]],
    ['running', [['1.1', 1, 'pay', 'waiting', null, []]]],
    ['terminated', [['1.1', 1, 'pay', 'waiting', null, []]]],
    ['in_doubt', [['1.1', 1, 'pay', 'succeeded', 'applied', ['approve ana']]]],
    ['continued', [['1.1', 1, 'pay', 'succeeded', 'applied', ['approve ana', 'approve bob']]]],
    ['call', [['1.1', 1, 'pay', 'succeeded', 'applied', ['approve ana']]]],
  ])('has for the sample %s each call, who decided, and the outcome', async (name, expected) => {
    expect(facts(await caseOf(name))).toEqual(expected);
  });

  it('has both revisions of an edited call, and who changed what', async () => {
    const { turns } = await caseOf('edited');
    const [before, after] = turns[0]!.calls;
    expect([before!.state, said(before!)]).toEqual(['superseded', ['edit ana']]);
    expect([after!.revision, after!.effect, said(after!)]).toEqual([2, 'applied', ['approve bob']]);
    expect([before!.input, after!.input]).toEqual([
      { invoice: 'INV-7', cents: 700 },
      { invoice: 'INV-7', cents: 350 },
    ]);
    expect(after!.question!.makers).toEqual(['ana']);
    expect(after!.question!.card).toContain('350');
  });

  it('shows which decisions were signed', async () => {
    const { turns } = await caseOf('quorum');
    expect(turns[0]!.calls[0]!.decisions.map(({ claims }) => claims?.principal)).toEqual(['ana', 'bob']);
    expect(turns[0]!.startSignature).toBe('not checked');
  });

  it('keeps calls that a reset has taken back apart from those that count', async () => {
    const { turns } = await caseOf('reset');
    const [{ runs, steps, calls }] = turns as [CaseFile['turns'][number]];
    expect(runs.map(({ began }) => began)).toEqual(['start', 'reset']);
    expect(steps.map(({ step, takenBack }) => [step, takenBack])).toEqual([
      [1, false],
      [2, true],
      [2, false],
    ]);
    expect(calls[0]!.activities.some(({ type, takenBack }) => type === 'runCall' && takenBack)).toBe(true);
    expect(calls[1]!.activities.some(({ takenBack }) => takenBack)).toBe(false);
    expect(calls[1]!.question!.held[0]).toMatchObject({ kind: 'reset' });
  });

  it('counts attempts, and has the failure of the attempt before', async () => {
    const { turns } = await caseOf('retries');
    const ran = turns[0]!.calls[0]!.activities.find(({ type }) => type === 'runCall');
    expect(ran!.attempts).toBeGreaterThan(1);
    expect(ran!.lastFailure).toBeTruthy();
  });

  it("has a session's turns in order, each with its own blocks, and a sub-agent's turn after the call that it answers", async () => {
    const session = await caseOf('session');
    expect(session.turns).toHaveLength(3);
    for (const { transcript } of session.turns) expect(transcript.every(({ own }) => own)).toBe(true);
    const { turns } = await caseOf('sub_agent');
    expect(turns[1]!.parent).toEqual({ turnId: turns[0]!.turnId, callId: '1.1' });
    expect(turns[0]!.calls[0]!.subTurnId).toBe(turns[1]!.turnId);
    const within = await caseOf('session_turn');
    expect(within.turns[0]!.transcript.some(({ own }) => !own)).toBe(true);
  });

  it('has the lines before one that cannot be read, and says where the file ended', async () => {
    const lines = handLines();
    const cut = async function* () {
      yield Buffer.from(lines.slice(0, -1).join('') + 'nonsense\n');
    };
    const file = await readCaseFile(cut());
    expect(file.fault).toMatchObject({ n: lines.length - 1 });
    expect(file.end).toBeNull();
    expect(facts(file)).toEqual(facts(await readCaseFile(whole(lines))));
  });
});

async function* whole(lines: string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.join(''));
}
