/** Plans what a bundle will hold, turn by turn, as names only. The plan is complete before the first line is written. */
import type { Client } from '@temporalio/client';
import { readBlock, type ReadDispatch, type ReadStart } from '../../record/read-block';
import type { EffectRecord } from '../../record/effect';
import { StoreError, type BlockWithParts, type Store } from '../../store/store';
import { workflowId } from '../../shared/ids';
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
  private readonly planned = new Set<string>();

  constructor(private readonly sources: Sources) {
    this.chain = new Chain(sources.store);
  }

  /** The turn and its sub-agents' turns; empty: neither Temporal nor the store knows it. */
  async turn(turnId: string): Promise<PlannedTurn[]> {
    const found = await survey(this.sources.temporal, workflowId(turnId));
    return found === null ? this.planFromTrail(turnId) : this.withChildren(turnId, found, null);
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

  private async withChildren(turnId: string, found: Survey, parent: TurnBody['parent']): Promise<PlannedTurn[]> {
    this.planned.add(found.workflow_id);
    const { workflow_id, first_execution_run_id } = found;
    const turn = { turn_id: turnId, workflow_id, first_execution_run_id, parent };
    const turns = [await this.withBlocks({ ...found, turn, blocks: [], records: [] }, found.heads, found.keys)];
    for (const [child, call_id] of found.children) turns.push(...(await this.child(found, child, { turn_id: turnId, call_id })));
    return turns;
  }

  private async child(above: Survey, child: string, parent: NonNullable<TurnBody['parent']>): Promise<PlannedTurn[]> {
    if (this.planned.has(child)) return [];
    const turnId = child.replace(/^turn\//, '');
    const found = await survey(this.sources.temporal, child);
    if (found === null) return [this.unknown(turnId, parent)];
    // After a reset, another turn's sub-agent may have taken the id: then no sub-agent answered this call under it.
    const ours =
      found.parent?.workflow_id === above.workflow_id && found.parent.first_execution_run_id === above.first_execution_run_id;
    return ours ? this.withChildren(turnId, found, parent) : [];
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
    const planned = this.unknown(turnId);
    const own = await this.withBlocks(planned, tips, new Set(), (start) => {
      if (start.turn_id !== turnId) return;
      planned.turn.first_execution_run_id = start.first_execution_run_id;
      planned.requester = start.requester ?? planned.requester;
      planned.agent = start.agent ?? planned.agent;
    });
    return [{ ...own, head: own.blocks.at(-1) ?? null }];
  }

  /** Adds blocks and effect records: the chains of the tips, then the blocks that the effect records name. */
  private async withBlocks(
    planned: PlannedTurn,
    tips: readonly string[],
    keys: Set<string>,
    starts: (start: ReadStart) => void = () => undefined,
  ): Promise<PlannedTurn> {
    const look = (stored: BlockWithParts) => {
      referencesOf(stored, planned);
      const read = readBlock({ block: stored.block, bodies: stored.parts.map(({ body }) => body) });
      if (read?.kind === 'start') starts(read);
      if (read?.kind === 'dispatch' && ofTurn(read, planned.turn.turn_id)) keys.add(ownText(read.idempotency_key ?? ''));
    };
    const take = async (tip: string | null) => {
      if (tip === null) return;
      const { hashes, fault } = await this.chain.take(tip, look);
      planned.blocks.push(...hashes);
      if (fault !== null && !planned.faults.includes(fault)) planned.faults.push(fault);
    };
    for (const tip of tips) await take(tip);
    for (const key of keys) {
      const record = await this.record(key, planned.faults);
      if (record === null) continue;
      planned.records.push(record);
      if (record.result_ref !== null) planned.parts.add(record.result_ref);
    }
    for (const { head, result_head } of planned.records) {
      await take(head);
      await take(result_head);
    }
    return planned;
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

/** Whether a dispatch is of this turn: a conversation has those of earlier turns too. Older blocks do not name their turn. */
function ofTurn({ subject }: ReadDispatch, turnId: string): boolean {
  return subject === null || subject.turn_id === turnId;
}
