import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readCaseFile } from '../../../../src/audit/case-file';
import type { CaseFile } from '../../../../src/audit/case-file/types';
import { whatIf, type Proposal } from '../../../../src/audit/what-if';
import { recordedRules } from '../../../../src/audit/recorded-rules';
import type { Approvals } from '../../../../src/rules';
import type { JsonObject } from '../../../../src/shared/json/json';

const FOLDER = join(__dirname, '../../../bundles');
const BUNDLES = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));

function read(name: string): Promise<CaseFile> {
  return readCaseFile(createReadStream(join(FOLDER, name)));
}

/** The rules that the bundle records for its own agent: under them nothing may differ. */
function asRecorded({ objects, turns: [turn] }: CaseFile): Proposal {
  const { approvals = {} } = objects.get(turn!.policyRef ?? '') as JsonObject;
  const { steps, tokens, cost_usd } = turn!.limits as Record<'steps' | 'tokens' | 'cost_usd', number>;
  const limits = turn!.direct ? {} : { limits: { steps, tokens, costUsd: cost_usd } };
  return { permissions: recordedRules(objects, turn!.policyRef)!, approvals: approvals as unknown as Approvals, ...limits };
}

function told({ turns }: ReturnType<typeof whatIf>): string[] {
  return turns.flatMap(({ calls }) =>
    calls.map(({ callId, revision, was, would }) =>
      [`${callId}/${revision}`, was.outcome, was.answer, '→', would.outcome, would.answer]
        .filter((part) => part !== null)
        .join(' '),
    ),
  );
}

describe('what if, over bundles of real turns', () => {
  it.each(BUNDLES)('nothing is changed: %s', async (name) => {
    const file = await read(name);
    const answer = whatIf(file, asRecorded(file));
    expect(answer.turns.flatMap(({ calls }) => calls).filter(({ differs }) => differs)).toEqual([]);
    expect([answer.differences, answer.unknown]).toEqual([0, 0]);
  });

  it('a rule forbids what an approver made of a call', async () => {
    const deny = [{ rule: 'pay', when: 'input.cents != 700' }];
    expect(told(whatIf(await read('edited.jsonl'), { permissions: { deny } }))).toEqual([
      '1.1/1 asked edited → asked edited',
      '1.1/2 asked approved → refused',
    ]);
  });

  it('two people have to approve', async () => {
    expect(told(whatIf(await read('approval.jsonl'), { approvals: { quorum: 2 } }))).toEqual([
      '1.1/1 asked approved → asked open',
    ]);
    expect(told(whatIf(await read('quorum.jsonl'), { approvals: { quorum: 3 } }))).toEqual(['1.1/1 asked approved → asked open']);
  });

  it('no call with effects would have run, in the sub-agents’ turns neither', async () => {
    expect(told(whatIf(await read('sub_agent.jsonl'), { permissions: { mode: 'plan' } }))).toEqual([
      '1.1/1 allowed → refused',
      '1.1/1 allowed → not_reached',
    ]);
    expect(told(whatIf(await read('sub_agent.jsonl'), { permissions: { mode: 'locked', allow: ['researcher'] } }))).toEqual([
      '1.1/1 allowed → allowed',
      '1.1/1 allowed → refused',
    ]);
  });

  it('the limit is another', async () => {
    const { turns } = whatIf(await read('limit.jsonl'), { limits: { steps: 2 } });
    expect(turns[0]).toMatchObject({ wasStopped: { beforeStep: 2 }, wouldStop: null, differs: true });
  });
});
