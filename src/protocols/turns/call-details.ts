/**
 * The inputs and results of a turn's calls, which its events do not carry: they are read from the store, by the turn's head and by
 * the reference of each result.
 */
import type { TurnHandle } from '../../client/turns/turn-handle';
import { isOf, type Owner } from '../../record/owner';
import { admittedInputs, readBlock } from '../../record/read-block';
import { readResult, UnexpectedPart } from '../../record/parts';
import type { JsonObject } from '../../shared/json/json';
import type { TurnView } from '../../shared/turn/turn-view';
import { isPartOf } from '../../store/core/identity';
import { StoreError, type Store } from '../../store/store';
import { resultText } from '../../tools/results/result-text';

/** Longest text of one result, characters; the transcript has the whole. */
const MOST_RESULT = 100_000;
/** More blocks of one turn are not read. */
const MOST_BLOCKS = 5000;

export class CallDetails {
  private readonly inputs = new Map<string, JsonObject>();
  /** Blocks up to here were read. */
  private readTo: string | null = null;
  private view: TurnView | null = null;

  constructor(
    private readonly store: Store,
    private readonly turn: TurnHandle,
    private readonly owner: Owner,
  ) {}

  /** As admission has it. Null: it was redacted, or cannot be read. */
  async input(call: string): Promise<JsonObject | null> {
    if (!this.inputs.has(call)) await this.readInputs();
    return this.inputs.get(call) ?? null;
  }

  /** What the model reads of a call's result; null: there is none yet. */
  async result(call: string): Promise<string | null> {
    const known = this.view?.calls.find(({ id }) => id === call)?.result_ref ?? null;
    const ref = known ?? (await this.latest()).calls.findLast(({ id }) => id === call)?.result_ref ?? null;
    if (ref === null) return null;
    try {
      const part = await this.store.getPart(ref);
      if (!isPartOf(this.store, this.owner, ref, part)) return null;
      const text = resultText(ref, readResult(part), null);
      return text.length <= MOST_RESULT ? text : `${text.slice(0, MOST_RESULT).toWellFormed()}…`;
    } catch (error) {
      if (error instanceof StoreError || error instanceof UnexpectedPart) return null;
      throw error;
    }
  }

  /** After a reset: calls with the same ids may have other inputs and results. */
  forget(): void {
    this.inputs.clear();
    this.readTo = null;
    this.view = null;
  }

  /** The view, asked for anew. */
  async latest(): Promise<TurnView> {
    return (this.view = await this.turn.status());
  }

  private async readInputs(): Promise<void> {
    const { head } = await this.latest();
    const found = new Map<string, JsonObject>();
    let isOwn = head === this.readTo;
    let next = isOwn ? null : head;
    try {
      for (let count = 0; next !== null && count < MOST_BLOCKS; count++) {
        const stored = await this.store.getBlock(next);
        for (const [id, input] of admittedInputs(stored)) if (!found.has(id)) found.set(id, input);
        const { kind, parent } = stored.block;
        const start = kind === 'start' ? readBlock(stored) : null;
        isOwn = kind === 'start' ? start?.kind === 'start' && isOf(this.owner, start) : parent !== null && parent === this.readTo;
        next = isOwn || kind === 'start' ? null : parent;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    // A workflow can name any head: nothing counts before the start of its turn was read.
    if (!isOwn) return;
    for (const [id, input] of found) if (!this.inputs.has(id)) this.inputs.set(id, input);
    this.readTo = head;
  }
}
