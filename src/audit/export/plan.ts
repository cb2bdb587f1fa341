/** Plans what a bundle will hold, turn by turn, as names only. The plan is complete before the first line is written. */
import type { Client } from '@temporalio/client';
import { readBlock, type ReadDispatch, type ReadStart } from '../../record/read-block';
import type { EffectRecord } from '../../record/effect';
import { hasRequesterOf, isOf, type Owner } from '../../record/owner';
import { isOfScope } from '../../store/core/identity';
import { StoreError, type BlockWithParts, type Store } from '../../store/store';
import { turnIdOf, workflowId } from '../../shared/ids';
import type { TurnBody } from '../format/lines';
import { Chain, referencesOf } from './chain';
import { ownText } from './own-text';
import { noReferences, type References } from './references';
import { survey, type Survey, type SurveyedRun } from './survey';

export interface PlannedTurn extends References {
  turn: TurnBody;
  agent: string;
  /** Empty: no source records it any more. */
  requester: string;
  session: Survey['session'];
  runs: SurveyedRun[];
  /** Hashes of its blocks, in order. */
  blocks: string[];
  head: string | null;
  records: EffectRecord[];
  /** Why the turn is incomplete, one sentence each. */
  faults: string[];
}

export interface Sources {
  temporal: Client;
  store: Store;
}

export class Planner {
  private readonly chain: Chain;
  private readonly plannedIds = new Set<string>();

  constructor(private readonly sources: Sources) {
    this.chain = new Chain(sources.store);
  }

  /** The turn and its sub-agents' turns; empty: neither Temporal nor the store knows it. */
  async turn(turnId: string): Promise<PlannedTurn[]> {
    const turnSurvey = await survey(this.sources.temporal, workflowId(turnId));
    return turnSurvey === null ? this.planFromTrail(turnId) : this.withChildren(turnId, turnSurvey, null);
  }

  /** A turn of which only the id is known. */
  unknown(turnId: string, parent: TurnBody['parent'] = null): PlannedTurn {
    const turn = { turn_id: turnId, workflow_id: workflowId(turnId), first_execution_run_id: null, parent };
    const faults = ['Temporal no longer has its history.'];
    return {
      turn,
      agent: '',
      requester: '',
      session: null,
      runs: [],
      blocks: [],
      head: null,
      records: [],
      faults,
      ...noReferences(),
    };
  }

  private async withChildren(turnId: string, turnSurvey: Survey, parent: TurnBody['parent']): Promise<PlannedTurn[]> {
    this.plannedIds.add(turnSurvey.workflow_id);
    const { workflow_id, first_execution_run_id } = turnSurvey;
    const turn = { turn_id: turnId, workflow_id, first_execution_run_id, parent };
    const own = { turn_id: turnId, requester: turnSurvey.requester, first_execution_run_id };
    const plan = { ...turnSurvey, turn, blocks: [], records: [] };
    const turns = [await this.withBlocks(plan, turnSurvey.heads, turnSurvey.keys, { own })];
    for (const [child, call_id] of turnSurvey.children)
      turns.push(...(await this.child(turnSurvey, child, { turn_id: turnId, call_id })));
    return turns;
  }

  private async child(above: Survey, child: string, parent: NonNullable<TurnBody['parent']>): Promise<PlannedTurn[]> {
    if (this.plannedIds.has(child)) return [];
    const turnId = turnIdOf(child);
    const childSurvey = await survey(this.sources.temporal, child);
    if (childSurvey === null) return [this.unknown(turnId, parent)];
    // After a reset, another turn's sub-agent may have taken the id: then no sub-agent answered this call under it.
    const ours =
      childSurvey.parent?.workflow_id === above.workflow_id &&
      childSurvey.parent.first_execution_run_id === above.first_execution_run_id;
    return ours ? this.withChildren(turnId, childSurvey, parent) : [];
  }

  /** Plans a turn that Temporal has forgotten, from the store's trail. */
  private async planFromTrail(turnId: string): Promise<PlannedTurn[]> {
    const tips: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query = { turn: turnId, limit: 1000, ...(cursor === '' ? {} : { cursor }) };
      const page: Awaited<ReturnType<Store['trail']['query']>> = await this.sources.store.trail.query(query);
      tips.push(...page.entries.map(({ block }) => block));
      cursor = page.next_cursor;
    }
    if (tips.length === 0) return [];
    const plan = this.unknown(turnId);
    const starts = (start: ReadStart) => {
      if (start.turn_id !== turnId) return;
      plan.turn.first_execution_run_id = start.first_execution_run_id;
      plan.requester = start.requester ?? plan.requester;
      plan.agent = start.agent ?? plan.agent;
    };
    const own = await this.withBlocks(plan, [tips], new Set(), { starts });
    return [{ ...own, head: own.blocks.at(-1) ?? null }];
  }

  /**
   * Adds blocks and effect records: the chains of each run's tips, with what the run has dispatched, since a later run may have
   * the outcome on another branch; then the other blocks that the effect records name.
   * @param own the turn to which the tips have to belong; absent: the store itself says that they do
   */
  private async withBlocks(
    plan: PlannedTurn,
    tips: readonly string[][],
    keys: Set<string>,
    { own, starts }: { own?: Owner; starts?: (start: ReadStart) => void },
  ): Promise<PlannedTurn> {
    const look = (sealedBlock: BlockWithParts) => {
      referencesOf(sealedBlock, plan);
      const read = readBlock({ block: sealedBlock.block, bodies: sealedBlock.parts.map(({ body }) => body) });
      if (read?.kind === 'start') starts?.(read);
      if (read?.kind === 'dispatch' && ofTurn(read, plan.turn.turn_id)) keys.add(ownText(read.idempotency_key ?? ''));
    };
    const take = async (tip: string | null) => {
      if (tip === null) return;
      const other = own === undefined ? null : await this.otherStart(tip, own);
      const isEnd = other !== null && tip === plan.head && (await this.isStoredFor(tip, own!));
      if (other !== null && !isEnd) return leaveOut(plan, tip);
      const { hashes, fault } = await this.chain.take(tip, look, other);
      plan.blocks.push(...hashes);
      if (fault !== null && !plan.faults.includes(fault)) plan.faults.push(fault);
    };
    const addRecord = async (key: string) => {
      const record = await this.record(key, plan.faults);
      if (record === null) return;
      plan.records.push(record);
      if (record.result_ref !== null) plan.parts.add(record.result_ref);
    };
    const scheduled = [...keys];
    for (const key of scheduled) await addRecord(key);
    for (const [index, heads] of tips.entries()) {
      for (const tip of heads) await take(tip);
      for (const { run_id, head } of plan.records) if (run_id === plan.runs[index]?.run_id) await take(head);
    }
    for (const key of [...keys].slice(scheduled.length)) await addRecord(key);
    for (const { head, result_head } of plan.records) {
      await take(head);
      await take(result_head);
    }
    return plan;
  }

  /** The start of the block's turn, if that is of another requester, or another turn of this one. Null too if the store cannot give it. */
  private async otherStart(tip: string, own: Owner): Promise<ReadStart | null> {
    const start = await this.chain.startOf(tip);
    if (start === null || isOf(own, start)) return null;
    // A turn whose start was rejected has no start: its end follows the conversation that it was to continue.
    return hasRequesterOf(own, start) && (await this.isStoredFor(tip, own)) ? null : start;
  }

  private async isStoredFor(hash: string, { first_execution_run_id: scope = '' }: Owner): Promise<boolean> {
    const { store } = this.sources;
    const { block, bodies } = await store.getBlock(hash);
    return block.parts.every((ref, index) => isOfScope(store, scope, ref, bodies[index]!));
  }

  private async record(key: string, faults: string[]): Promise<EffectRecord | null> {
    try {
      return await this.sources.store.effects.latest(key);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      faults.push(`The store cannot give effect record ${key}.`);
      return null;
    }
  }
}

function leaveOut(plan: PlannedTurn, tip: string): void {
  plan.faults.push(`Its history names block ${tip} of another turn, which was left out.`);
  if (plan.head === tip) plan.head = null;
}

/** Whether a dispatch is of this turn: a conversation has those of earlier turns too. Older blocks do not name their turn. */
function ofTurn({ subject }: ReadDispatch, turnId: string): boolean {
  return subject === null || subject.turn_id === turnId;
}
