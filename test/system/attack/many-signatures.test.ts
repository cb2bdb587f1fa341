/** However many signed decisions the calls of one step need, none of them waits without room for its own. */
import type { HoldfastClient } from '../../../src/client';
import { NoWorker } from '../../../src/client/errors';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { ToolError } from '../../../src/tools/define/errors';
import { eventually, withEngine } from '../../engine/support/engine';
import { fillRun, FILLS_A_SHORT_RUN, shortRunServer } from '../../engine/support/fill-run';
import { ask, results, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

/** Their decisions are too long for an argument. As many as run from one answer: `unit/workflows/state-limits`. */
const CALLS = 20;
/** More than there is room for at ten signatures each. */
const TOO_MANY = 26;
/** How many of the ten sign before one denies. That what nine have said has room: `unit/workflows/state-limits`. */
const SIGN_FIRST = 2;
/** As long as names come: three bytes of UTF-8 each. */
const people = ['甲', '乙', '丙', '丁', '戊', '己', '庚', '辛', '壬', '癸'].map((name) => name.repeat(200));
const payments = (count: number) =>
  Array.from({ length: count }, (_, n): [string, any] => ['pay', { invoice: `INV-${n}`, cents: 1 }]);

describe('signed decisions on as many calls as a step may have', () => {
  const server = shortRunServer();
  let signers: Signers;
  let key: string;
  beforeAll(async () => {
    signers = new Signers();
    key = await signers.file(signers.gateway);
  });
  afterAll(() => signers.remove());

  const setup = (quorum: number, effects: unknown[]) => ({
    tools: [
      pays('pay', effects, {
        run: (input: any) => {
          effects.push(input);
          if (input.invoice === 'INV-0') throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost');
          return { paid: true };
        },
      }),
    ],
    agent: { approvals: { quorum } },
    settings: { approvals: 'attested' as const, trust: signers.trust },
    signingKey: key,
  });

  async function waiting(turn: TurnHandle, calls: number): Promise<string[]> {
    return eventually(`${calls} payments wait`, async () => {
      const pending = await turn.pending();
      return pending.length === calls && pending.map(({ digest }) => digest);
    });
  }

  /** In parts: a decision by update has 256 KB at most. */
  async function decide(turn: TurnHandle, digests: string[], by: string, decision: 'approve' | 'deny'): Promise<void> {
    for (let from = 0; from < digests.length; from += 32) {
      const some = digests.slice(from, from + 32);
      const attestation = await Promise.all(some.map((digest) => signers.signed(turn, digest, by, { decision })));
      await turn[decision](some, { attestation });
    }
  }

  /** How the present run began: bytes of its argument, and what it did first. */
  async function begun(client: HoldfastClient, turn: TurnHandle) {
    const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
    return {
      argument: input!.payloads![0]!.data!.length,
      activities: events!.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
    };
  }

  it.each([3])('all find room at a quorum of %i, also over continue-as-new, with a settlement and a denial', async (quorum) => {
    const effects: unknown[] = [];
    const script = [ask(...payments(CALLS)), say('done')];
    await withEngine({ ...setup(quorum, effects), address: server.address, script }, async ({ start, client }) => {
      const turn = await start();
      const digests = await waiting(turn, CALLS);
      for (const by of people.slice(0, quorum - 1)) await decide(turn, digests, by, 'approve');
      await fillRun(client, turn, FILLS_A_SHORT_RUN);
      expect(await waiting(turn, CALLS)).toEqual(digests);
      const { argument, activities } = await begun(client, turn);
      expect(argument).toBeLessThan(512 * 1024);
      expect(activities[0]).toBe('readSaid');
      const shown = await eventually('what was said is read again', async () => {
        const { calls } = await turn.status();
        const said = calls.map(({ approval }) => approval.decisions.map(({ by, attested }) => [by, attested]));
        return said.every((decisions) => decisions.length > 0) && said;
      });
      expect(shown).toEqual(digests.map(() => people.slice(0, quorum - 1).map((by) => [by, true])));
      const [last, ...others] = [...digests].reverse();
      await decide(turn, [last!], people[9]!, 'deny');
      await decide(turn, others, people[9]!, 'approve');
      await eventually('the first is in doubt', async () => (await turn.status()).state === 'in_doubt');
      await fillRun(client, turn, FILLS_A_SHORT_RUN);
      await waiting(turn, 1);
      for (const by of people.slice(0, quorum)) {
        const settling = { decision: 'settle' as const, outcome: 'applied' as const };
        await turn.settle(digests[0]!, 'applied', { attestation: await signers.signed(turn, digests[0]!, by, settling) });
      }
      const done = await turn.result();
      expect(done.state).toBe('completed');
      expect(done.calls.map(({ state, effect }) => [state, effect])).toEqual(
        digests.map((digest) => (digest === last ? ['denied', 'refused'] : ['succeeded', 'applied'])),
      );
      expect(effects).toHaveLength(CALLS - 1);
    });
  });

  it('are not requested if each call needs ten: the model is told to ask for fewer, and may ask again', async () => {
    const effects: unknown[] = [];
    const again = ask(...payments(TOO_MANY));
    const script = [again, again, say('done')];
    await withEngine({ ...setup(10, effects), script }, async ({ start, model }) => {
      const turn = await start();
      for (const step of [1, 2]) {
        const asked = await eventually(`all of step ${step} are looked at`, async () => {
          // So many answers at once keep the worker of a busy machine from answering for a while.
          const { calls: seen } = await turn.status().catch((error: unknown) => {
            if (error instanceof NoWorker) return { calls: [] };
            throw error;
          });
          const calls = seen.filter(({ id }) => id.startsWith(`${step}.`));
          const open = calls.filter(({ state }) => state === 'waiting').map(({ digest }) => digest!);
          return calls.length === TOO_MANY && calls.every(({ state }) => state !== 'proposed') && open;
        });
        expect(asked.length).toBeGreaterThanOrEqual(20);
        expect(asked.length).toBeLessThan(TOO_MANY);
        if (step === 1) for (const by of people.slice(0, SIGN_FIRST)) await decide(turn, asked, by, 'approve');
        await decide(turn, asked, people[9]!, 'deny');
      }
      expect((await turn.result()).state).toBe('refused');
      const denied = Array<number>(TOO_MANY).fill(0);
      for (const request of model.requests.slice(1)) {
        for (const [n, { body }] of results(request).entries()) {
          const told = JSON.stringify(body);
          if (told.includes('declined')) denied[n]! += 1;
          else expect(told).toMatch(/too_many_questions.*Ask for fewer calls/);
        }
      }
      expect(effects).toEqual([]);
    });
  });
});
