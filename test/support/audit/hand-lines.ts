/** Parts and blocks of a transcript, written by hand one after the other. */
import type { BlockBody, PartBody } from '../../../src/audit/format/lines';
import { hashJson } from '../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import type { BlockKind } from '../../../src/shared/turn/transcript';
import { at, GONE, type Fields } from './hand-events';

export const MESSAGE = 'Pay INV-7.';
export const ARGUMENT = { turn_id: 't', requester: 'rita', agent: 'clerk', message: MESSAGE };
/** The body of the start of this turn's transcript. */
export const START: JsonObject = {
  ...{ turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', requester: 'rita', agent: { name: 'clerk' } },
  message_hash: hashJson(MESSAGE),
};

export abstract class HandLines {
  private count = 0;
  private last: string | null = null;

  protected abstract takePart(part: PartBody): void;
  protected abstract takeBlock(block: BlockBody): void;

  /** @param body `GONE`: it was left out. @returns its ref */
  part(body: unknown, ref = `part ${(this.count += 1)}`): string {
    this.takePart({ ref, part: body === GONE ? null : { v: 'holdfast.part/1', salt: 's', body: body as Json } });
    return ref;
  }

  /** @returns its ref; the next block follows it */
  block(
    kind: BlockKind,
    parts: string[],
    {
      ref = `block ${(this.count += 1)}`,
      seconds = 5,
      parent = this.last,
    }: { ref?: string; seconds?: number; parent?: string | null } = {},
  ): string {
    this.takeBlock({ ref, block: { v: 'holdfast.block/1', parent, kind, at: at(seconds), parts } });
    return (this.last = ref);
  }

  /** A block of parts with these bodies. */
  write(kind: BlockKind, ...bodies: unknown[]): string {
    return this.block(
      kind,
      bodies.map((body) => this.part(body)),
    );
  }

  start(more: Fields = {}): string {
    return this.write('start', { ...START, ...more });
  }
}
