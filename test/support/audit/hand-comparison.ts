/** A turn written by hand, for the comparison of facts that are recorded twice: rules D1 to D8. */
import { Attestations } from '../../../src/audit/verify/attestations';
import { Blocks, type BundleContext } from '../../../src/audit/verify/blocks';
import { History } from '../../../src/audit/verify/history';
import { BundleFiles } from '../../../src/audit/verify/file-checks';
import { RecordedRules } from '../../../src/audit/verify/recorded-rules';
import { SourceComparison } from '../../../src/audit/verify/source-comparison';
import type { BlockBody, PartBody, RunBody, TurnBody } from '../../../src/audit/format/lines';
import type { JsonObject } from '../../../src/shared/json/json';
import { carrying, HandRun, Reports, TURN, type Fields } from './hand-events';
import { ARGUMENT, HandLines } from './hand-lines';

/** What it looks at of a turn. */
export interface Looks {
  beginRun?(run: RunBody): void;
  event?(event: JsonObject): void;
  part?(part: PartBody): void;
  block?(block: BlockBody): void;
}

export interface Setting {
  turn?: Partial<TurnBody>;
  argument?: unknown;
  run_id?: string;
  started?: Fields;
  definitions?: BundleContext['definitions'];
  children?: BundleContext['children'];
}

type Make<T> = (all: SourceComparison, history: History, blocks: Blocks, turn: TurnBody) => T;

export class HandComparison<T extends Looks> extends HandLines {
  readonly history: History;
  readonly blocks: Blocks;
  readonly all: SourceComparison;
  readonly of: T;
  readonly run: HandRun;
  readonly body: TurnBody;
  private readonly reports = new Reports();

  constructor(
    make: Make<T>,
    { turn = {}, argument = ARGUMENT, run_id = 'r', started = {}, definitions = new Map(), children = new Map() }: Setting = {},
  ) {
    super();
    this.body = { ...TURN, ...turn };
    this.history = new History(this.body, 'n', new Attestations([]));
    const around = {
      definitions,
      children,
      blocks: new Set<string>(),
      rules: new RecordedRules(),
      files: new BundleFiles(),
      hasSessions: true,
      madeAt: 0,
    };
    this.blocks = new Blocks(this.body, this.history, around);
    this.all = new SourceComparison(this.history);
    this.all.report = this.reports.report;
    this.of = make(this.all, this.history, this.blocks, this.body);
    this.run = new HandRun((event) => {
      this.history.event(event, () => undefined);
      this.of.event?.(event);
    });
    this.begin(run_id, { input: carrying(argument), ...started });
  }

  begin(run_id: string, attributes: Fields = {}, began: 'start' | 'continued' | 'reset' = 'start'): this {
    this.history.beginRun({ run_id, began });
    this.of.beginRun?.({ run_id, began });
    this.run.begin(attributes);
    return this;
  }

  gives(name: string, argument: unknown): this {
    this.run.scheduled(name, argument);
    return this;
  }

  does(name: string, argument: unknown, result: unknown): this {
    this.run.activity(name, argument, result);
    return this;
  }

  /** @returns what was found wrong since the last time */
  faults(): string[] {
    return this.reports.taken();
  }

  protected takePart(part: PartBody): void {
    this.blocks.part(part.ref, part.part, () => undefined);
    this.of.part?.(part);
  }

  protected takeBlock(block: BlockBody): void {
    this.blocks.block(block, () => undefined);
    this.of.block?.(block);
  }
}
