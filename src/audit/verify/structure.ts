/** Checks form and order of lines, hashes and trailer (S3 to S7, docs/bundle-format.md). The reader checks each line by itself. */
import { leftOutIn } from '../case-file/payload';
import type { BundleBody, EndBody, LineKind } from '../format/lines';
import { carriedHash } from '../format/field-hash';
import type { ReadLine } from '../format/reader';
import { Fault, quote } from './fault';
import { Receipts } from './receipts';
import { beforeRedaction, carriesKey, isSigned } from './trailer';
import { hasShape } from './shapes';

/** A payload that was left out, as a line has it. */
const LEFT_OUT = '{"redacted":true}';

/** Kinds allowed after each kind. */
const NEXT: Record<LineKind | 'nothing', readonly LineKind[]> = {
  nothing: ['bundle'],
  bundle: ['object', 'turn', 'end'],
  object: ['object', 'turn', 'end'],
  turn: ['run', 'part', 'block', 'effect', 'turn_end'],
  run: ['run', 'event', 'part', 'block', 'effect', 'turn_end'],
  event: ['run', 'event', 'session', 'part', 'block', 'effect', 'turn_end'],
  session: ['session', 'part', 'block', 'effect', 'turn_end'],
  part: ['part', 'block', 'effect', 'turn_end'],
  block: ['part', 'block', 'effect', 'turn_end'],
  effect: ['part', 'effect', 'turn_end'],
  turn_end: ['turn', 'end'],
  end: ['receipt'],
  receipt: ['receipt'],
};

export class Structure {
  bundle: BundleBody | null = null;
  end: EndBody | null = null;
  /** Numbers of parts and payloads that were left out. */
  omissions = { parts: 0, payloads: 0 };
  /** Refs of the lines so far. */
  readonly objects = new Set<string>();
  readonly parts = new Set<string>();
  readonly blocks = new Set<string>();
  readonly receipts = new Receipts();
  private before: LineKind | 'nothing' = 'nothing';
  /** The open turn. `effects`: it has had an effect record; `parents`: number of its blocks whose parent is missing. */
  private turn: { id: string; effects: boolean; parents: number } | null = null;
  private readonly turns = new Map<string, { complete: boolean }>();

  /** @throws Fault */
  take(line: ReadLine): void {
    const { kind, n, body } = line;
    if (!this.mayFollow(kind))
      throw new Fault(
        n,
        this.before === 'end' || this.before === 'receipt' ? 'S7' : 'S3',
        `A line of kind ${kind} cannot stand after one of kind ${this.before}`,
      );
    if (!hasShape(kind, body, kind === 'bundle' ? body.v : this.bundle?.v))
      throw new Fault(n, 'S3', `The line does not have the fields of a line of kind ${kind}`);
    this.before = kind;
    this.look(line);
  }

  /** @param lines number of lines read; @throws Fault if the file is cut short */
  finish(lines: number): { bundle: BundleBody; end: EndBody } {
    if (!this.bundle || !this.end)
      throw new Fault(lines, 'S7', 'The line is missing: the file was cut short, and has no trailer');
    return { bundle: this.bundle, end: this.end };
  }

  private mayFollow(kind: LineKind): boolean {
    if (!NEXT[this.before].includes(kind)) return false;
    return !(kind === 'block' && this.turn?.effects);
  }

  private look(line: ReadLine): void {
    const { n } = line;
    switch (line.kind) {
      case 'bundle':
        this.bundle = line.body;
        this.receipts.begin(line.body.made_by.witness_head);
        break;
      case 'object':
        this.mustBe(line, line.body.ref);
        this.objects.add(line.body.ref);
        break;
      case 'turn':
        if (this.turns.has(line.body.turn_id)) throw new Fault(n, 'S3', 'A turn stands twice in the bundle');
        this.turns.set(line.body.turn_id, { complete: false });
        this.turn = { id: line.body.turn_id, effects: false, parents: 0 };
        break;
      case 'run':
        break;
      case 'event':
      case 'session':
        if (line.bytes.includes(LEFT_OUT)) this.omissions.payloads += leftOutIn(line.body.event);
        break;
      case 'part':
        if (line.body.part === null) this.omissions.parts += 1;
        else this.mustBe(line, line.body.ref);
        this.parts.add(line.body.ref);
        break;
      case 'block':
        this.block(line);
        break;
      case 'effect':
        this.turn!.effects = true;
        break;
      case 'turn_end':
        this.turnEnd(line);
        break;
      case 'end':
        this.trailer(line);
        this.receipts.end(line);
        break;
      case 'receipt':
        this.receipts.take(n, line.body);
        break;
    }
  }

  private mustBe(line: ReadLine, ref: string): void {
    if (carriedHash(line) !== ref)
      throw new Fault(line.n, 'S4', `The ${line.kind} does not have the hash that names it: its content was changed`);
  }

  private block(line: ReadLine & { kind: 'block' }): void {
    this.mustBe(line, line.body.ref);
    const { parts, parent } = line.body.block;
    if (!parts.every((ref) => this.parts.has(ref))) throw new Fault(line.n, 'S4', 'A part of the block did not come before it');
    if (parent !== null && !this.blocks.has(parent) && ++this.turn!.parents > 1)
      throw new Fault(line.n, 'S4', 'The block follows one that is not in the bundle');
    this.blocks.add(line.body.ref);
  }

  private turnEnd({ n, body }: ReadLine & { kind: 'turn_end' }): void {
    const { id, parents } = this.turn!;
    if (body.turn_id !== id) throw new Fault(n, 'S3', `The line ends turn ${quote(body.turn_id)}, and ${quote(id)} is open`);
    if (body.head !== null && !this.blocks.has(body.head)) throw new Fault(n, 'S5', "The turn's last block is not in the bundle");
    if ((body.why === null) !== body.complete)
      throw new Fault(n, 'S5', 'The turn must say why it is not complete, and only then');
    if (body.complete && parents > 0)
      throw new Fault(n, 'S5', 'The turn is said to be complete, and a block before its first is missing');
    this.turns.set(id, { complete: body.complete });
  }

  private trailer({ n, prev, body }: ReadLine & { kind: 'end' }): void {
    const no = (reason: string) => new Fault(n, 'S6', reason);
    if (body.root !== prev) throw no('The root is not the hash of the line before');
    if (body.lines !== n + 1) throw no(`The trailer counts ${body.lines} lines, and there are ${n + 1}`);
    const complete = this.turns.size > 0 && [...this.turns.values()].every((turn) => turn.complete);
    if (body.complete !== complete) throw no('The trailer says of completeness what the turns do not say');
    this.checkRedaction(body, no);
    if (this.bundle?.chained === false && body.previous !== null)
      throw no('It is no link of a chain, and names a bundle before it');
    if (body.contradiction && body.contradiction.line > n) throw no('It names a contradiction at a line that there is not');
    if (!carriesKey(body)) throw no('The trailer does not carry an Ed25519 key with its id');
    if (!isSigned(body)) throw no('The signature is not right: the trailer was changed, or another key has made it');
    for (let original = beforeRedaction(body); original !== null; original = beforeRedaction(original))
      if (!carriesKey(original) || !isSigned(original))
        throw no('The bundle that it is said to be a redaction of was never signed so: its signature is not right');
    this.end = body;
  }

  private checkRedaction({ redaction, complete }: EndBody, no: (reason: string) => Fault): void {
    const { parts, payloads } = this.omissions;
    if (redaction === null) {
      if (payloads > 0 || (complete && parts > 0)) throw no('Something was left out, and nobody says so');
      return;
    }
    const fits = redaction.payloads === payloads && (redaction.parts === parts || (!complete && redaction.parts < parts));
    if (!fits)
      throw no(
        `The trailer says that ${redaction.parts} parts and ${redaction.payloads} payloads were left out; they are ${parts} and ${payloads}`,
      );
  }
}
