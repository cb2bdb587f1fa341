/** Checks that history, transcript and effect records agree (docs/bundle-format.md, rules H, B, T and D). Keeps the first fault. */
import { BundleFiles } from './file-checks';
import type { TrustEntry } from '../../attestation/trusted-keys';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { list, object, text } from '../../record/fields';
import { BUNDLE_VERSION, type Bodies, type BundleBody, type LineKind } from '../format/lines';
import { Attestations } from './attestations';
import { defaultsIn } from './defaults';
import { Fault, quote } from './fault';
import { RecordedRules } from './recorded-rules';
import { Turn, type Refs } from './turn';
import { hashOf, timeOf } from './values';

/** The fields of a line that rules need. */
type CheckedKind = Exclude<LineKind, 'receipt'>;
export type CheckedLine = { [K in CheckedKind]: { n: number; kind: K; body: Bodies[K] } }[CheckedKind];

export class ContentChecks {
  fault: Fault | null = null;
  readonly attestations: Attestations;
  private bundle: BundleBody | null = null;
  private turn: Turn | null = null;
  private readonly definitions = new Map<string, JsonObject>();
  private readonly children = new Map<string, string | null>();
  private readonly rules = new RecordedRules();
  private readonly files = new BundleFiles();
  /** By id: the turns so far. */
  private readonly turns = new Map<string, { workflow_id: string; first_execution_run_id: string | null }>();
  private readonly subTurns: JsonObject[] = [];

  constructor(
    trust: readonly TrustEntry[],
    private readonly structure: Refs,
  ) {
    this.attestations = new Attestations(trust);
  }

  /** Takes a line whose form and order are valid. */
  take(line: CheckedLine): void {
    if (this.fault) return;
    const report = (rule: string, reason: string) => {
      if (this.fault === null || place(rule) < place(this.fault.rule)) this.fault = new Fault(line.n, rule, reason);
    };
    switch (line.kind) {
      case 'bundle':
        this.bundle = line.body;
        break;
      case 'object':
        if (isJsonObject(line.body.value) && line.body.value.v === 'holdfast.agent/1')
          this.define(line.body.ref, line.body.value);
        this.rules.take(line.body);
        break;
      case 'turn':
        this.turns.set(line.body.turn_id, line.body);
        this.turn = new Turn(line.body, this.bundle!.namespace, this.attestations, {
          definitions: this.definitions,
          children: this.children,
          blocks: this.structure.blocks,
          rules: this.rules,
          files: this.files,
          hasSessions: this.bundle!.v === BUNDLE_VERSION,
          madeAt: timeOf(this.bundle!.made_at),
        });
        break;
      case 'run':
        this.turn!.beginRun(line.body);
        break;
      case 'event':
        this.turn!.event(line.body.event, report);
        break;
      case 'session':
        this.turn!.session(line.body, report);
        break;
      case 'part':
        this.turn!.part(line.body, report);
        break;
      case 'block':
        this.turn!.block(line.body, report);
        break;
      case 'effect':
        this.turn!.effect(line.body.record, report);
        break;
      case 'turn_end':
        this.turn!.end(line.body, this.structure, report);
        if (this.turns.size === 1) this.turn!.first(this.bundle!, report);
        for (const subTurn of this.turn!.blocks.subTurns) this.subTurns.push(subTurn);
        this.turn = null;
        break;
      case 'end':
        if (line.body.complete) this.below(report);
        break;
    }
  }

  private define(ref: string, definition: JsonObject): void {
    const { approvals = {}, approval_lists = {}, tools, name: agent = null, prompt = null, result } = definition;
    const toolFacts = list(tools).map((tool) => {
      const { name = null, version = null, class: kind = null, internal_only: internal = false, input_schema } = object(tool);
      const { idempotent = null, sub_agent } = object(tool);
      const answers: JsonObject = sub_agent === undefined ? {} : { sub_agent };
      return { name, version, class: kind, internal, idempotent, ...answers, defaults: defaultsIn(input_schema ?? null) };
    });
    const { limits, max_parallel, sibling_abort, approval_expiry_ms, steer_supersedes } = definition;
    const policy = { limits, max_parallel, sibling_abort, approval_expiry_ms, steer_supersedes } as JsonObject;
    const facts = {
      approvals,
      approval_lists,
      tools: toolFacts,
      name: agent,
      prompt_hash: hashOf(prompt),
      policy,
      ...optional({ result }),
    };
    this.definitions.set(ref, facts);
  }

  /** T6 */
  private below(report: (rule: string, reason: string) => void): void {
    for (const { turn_id, workflow_id, first_execution_run_id, head } of this.subTurns) {
      const turn = this.turns.get(text(turn_id));
      if (turn?.workflow_id !== workflow_id || turn?.first_execution_run_id !== first_execution_run_id)
        report('T6', `The turn ${quote(turn_id)} of a sub-agent was left out`);
      if (typeof head === 'string' && !this.structure.blocks.has(head))
        report('T6', `The turn ${quote(turn_id)} of a sub-agent has not come to the block that its answer was taken from`);
    }
  }
}

/** The position of a rule in the document: if one line breaks several rules, the first of them counts. */
function place(rule: string): number {
  return 'HBTD'.indexOf(rule.charAt(0)) * 100 + Number(rule.slice(1));
}
