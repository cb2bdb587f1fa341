/**
 * Checks a turn's own blocks, and the parts with the inputs of its calls, against its history (rules B2 to B12).
 * It keeps only the fields that later rules need.
 */
import { list, object, text } from '../../record/fields';
import { canonical } from '../../shared/json/canonical';
import { peopleOf, plainName, starterOf } from '../../shared/approval/approval';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { sessionWorkflowId } from '../../shared/ids';
import { steerDigest } from '../../shared/approval/decision';
import type { BlockBody, TurnBody } from '../format/lines';
import type { Part } from '../../shared/turn/transcript';
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import { claimsOf } from './attestations';
import { deputyshipFault, voteOf, countVotes } from './deputies';
import { quote } from './fault';
import { isMessage, partHashes, TurnFiles, type BundleFiles } from './file-checks';
import type { History, Report, ScheduledCall } from './history';
import { isEntry, isOfList, listOf, wantsSignatures } from './recorded-lists';
import type { RecordedRules } from './recorded-rules';
import { attempt, hashOf, timeOf, UNKNOWN } from './values';

/** The facts of the bundle outside the turn. */
export interface BundleContext {
  /** By ref. */
  definitions: ReadonlyMap<string, JsonObject>;
  /** What the histories of turns so far say of child workflows, mostly as hashes (turn-in-history.ts). */
  children: Map<string, string | null>;
  /** Refs of blocks so far. */
  blocks: ReadonlySet<string>;
  rules: RecordedRules;
  files: BundleFiles;
  /** Whether turns of sessions have `session` lines: from version 3 on. */
  hasSessions: boolean;
  /** When the bundle says it was made, ms since 1970. */
  madeAt: number;
}

/** The fields of a part's body that rules need. */
type Body = JsonObject | null;

interface OwnBlock {
  at: number;
  kind: string;
  body: Body;
  /** Of an admission: refs of its calls' inputs. */
  admits: string | null;
  /** Those in it, and in the blocks that it follows; undefined: none. */
  approvals: readonly Approval[] | undefined;
}

interface Approval {
  digest: Json | undefined;
  person: string;
}

/** Fields that hold refs of parts or of objects. */
const PART_REFS = ['card_ref', 'input_ref', 'preview_ref', 'result_ref'];
const OBJECT_REFS = ['policy_ref', 'definition_ref'];
const REFERRING = new Set(['start', 'decision', 'dispatch', 'effect', 'settlement']);
/** The fields of a part's body that rules need. The others, such as texts and tool results, may be long and are not kept. */
const RULE_FIELDS = new Set([
  ...PART_REFS,
  ...OBJECT_REFS,
  ...'turn_id workflow_id first_execution_run_id store_id requester message_hash agent session_id parent signed_for call steer sub_turns'.split(
    ' ',
  ),
  ...'call_id tool version class input_hash verdict undecided approval_entry decision digest by at note expires_at attestation subject'.split(
    ' ',
  ),
  ...'dispatch idempotency_key approval effect recorded outcome'.split(' '),
]);

/** Decisions that a signal or update gives. */
const ANSWER_KINDS = new Set<Json | undefined>(['approve', 'deny', 'edit', 'answer']);

export class Blocks {
  /** The turn's own blocks, by ref. */
  readonly own = new Map<string, OwnBlock>();
  /** Blocks of the turn's lines before its own. A turn that ended before it began has no others. */
  private readonly before = new Map<string, Pick<OwnBlock, 'kind' | 'admits'>>();
  /** The refs in own blocks and effect records. */
  readonly refs = { parts: new Set<string>(), objects: new Set<string>() };
  readonly subTurns: JsonObject[] = [];
  readonly files: TurnFiles;
  /** The fields kept of the parts in this turn's lines, by ref; null: left out. */
  private readonly parts = new Map<string, Body>();
  /** People who changed a call's input, by call; people who steered the turn, or answered a question of the model. */
  private readonly editors = new Map<string, string[]>();
  private readonly steerers: string[] = [];
  private wantedParts: { hashes: string[] | null } | null = null;
  private readonly admissions = new Map<string, JsonObject[]>();
  private readonly dispatches = new Map<string, JsonObject>();
  private saysMessage = false;
  /** Whether a start, decision, admission, message or dispatch was left out; `parents`: the parent of a block is missing. */
  readonly unknown = { starts: false, parents: false, decisions: false, admissions: false, messages: false, dispatches: false };

  constructor(
    private readonly turn: TurnBody,
    private readonly history: History,
    private readonly context: BundleContext,
  ) {
    this.files = new TurnFiles(context.files);
  }

  /** B12 */
  part(ref: string, part: Part | null, report: Report): void {
    this.parts.set(ref, part === null ? null : this.pickFacts(part.body));
    this.files.part(ref, part);
    if (part === null) return;
    for (const run of this.history.callsWith(ref)) {
      const fault = this.context.rules.fault(run, object(part.body), this.history.policies.get(ref));
      if (fault !== null) report('B12', fault);
    }
  }

  /** Whether a `part` line of this turn has the ref. */
  hasPart(ref: string): boolean {
    return this.parts.has(ref);
  }

  block({ ref, block }: BlockBody, report: Report): void {
    const partBody = this.parts.get(block.parts[0] ?? '');
    const body = partBody ?? null;
    const isOwn =
      this.own.has(block.parent ?? '') ||
      (block.kind === 'start' && body !== null && body.first_execution_run_id === this.turn.first_execution_run_id);
    // If the part is in another turn's lines (undefined), it was not left out: the block is no start of this turn.
    this.unknown.starts ||= block.kind === 'start' && partBody === null;
    this.unknown.parents ||= block.parent !== null && !this.context.blocks.has(block.parent);
    if (block.kind === 'start' && !isOwn && body?.workflow_id === this.turn.workflow_id && this.history.whole)
      report('B3', 'The transcript begins as that of another run of the workflow');
    const admits = block.kind === 'admission' ? block.parts.slice(1).join() : null;
    if (this.own.size === 0) this.before.set(ref, { kind: block.kind, admits });
    if (!isOwn) return;
    const { history } = this;
    const at = timeOf(block.at);
    const before = this.own.get(block.parent ?? '');
    if (history.whole && !(at >= Math.max(before?.at ?? history.began, history.began) && at <= history.latest))
      report('B2', 'The block lies before the one that it follows, or outside of the time of its turn');
    const approvals = withApproval(before?.approvals, block.kind, body);
    const own: OwnBlock = { at, kind: block.kind, body, admits, approvals };
    this.own.set(ref, own);
    if (body !== null && REFERRING.has(block.kind)) this.refer(body);
    if (body !== null) this.isOfAgent(body, report);
    switch (block.kind) {
      case 'start':
        return this.start(body, block.at, report);
      case 'message':
        return this.message(body, block.parts, report);
      case 'admission':
        return this.admission(block.parts, report);
      case 'decision':
        return this.decision(body, at, report);
      case 'dispatch':
        return this.dispatch(own, report);
      case 'effect':
      case 'settlement':
        return this.outcome(block.kind, body, report, ref);
      case 'summary':
      case 'end':
      case 'enrolment': // of no turn: nothing here names it
      case 'deputy':
      case 'stop':
        return;
    }
  }

  refer(body: JsonObject): void {
    for (const field of PART_REFS) if (typeof body[field] === 'string') this.refs.parts.add(body[field]);
    for (const field of OBJECT_REFS) if (typeof body[field] === 'string') this.refs.objects.add(body[field]);
  }

  /** D1: the `definition_ref` of a block names a definition, and that of its agent. */
  private isOfAgent({ definition_ref, subject }: JsonObject, report: Report): void {
    const { agent } = object(subject);
    const definition = this.context.definitions.get(text(definition_ref));
    if (this.context.rules.areRules(text(definition_ref)))
      report('D1', 'A block names rules where it names the definition of its agent');
    if (definition !== undefined && typeof agent === 'string' && agent !== '' && definition.name !== agent)
      report('D1', `A block of the agent ${quote(agent)} names the definition of another`);
  }

  /** The state of a call in its effect or settlement block; undefined: it is no such block; `unknown`: its part was left out. */
  stateIn(ref: Json | undefined): Record<'state' | 'result_ref' | 'key', Json | undefined> | 'unknown' | undefined {
    const own = typeof ref === 'string' ? this.own.get(ref) : undefined;
    if (own?.kind !== 'effect' && own?.kind !== 'settlement') return undefined;
    if (own.body === null) return 'unknown';
    const { result_ref, idempotency_key: key } = own.body;
    return { state: stateOf(own.kind, own.body), result_ref, key };
  }

  /** An own block of the turn; if the turn has none, a block in its lines. */
  findBlock(ref: string): Pick<OwnBlock, 'kind' | 'admits'> | undefined {
    return (this.own.size > 0 ? this.own : this.before).get(ref);
  }

  /** Whether a step wrote a block in these lines that is not the turn's own; false if it is unknown which blocks are. */
  hasStrayStep(): boolean {
    if (this.unknown.starts || this.unknown.parents || !this.history.whole) return false;
    return this.history.namedBlocks.some(({ ref, admits }) => admits !== null && this.before.has(ref) && !this.own.has(ref));
  }

  /** Whether a call was dispatched, and no block has its outcome. */
  hasOpenDispatch(): boolean {
    const own = [...this.own.values()];
    if (own.some(({ kind, body }) => body === null && kind !== 'message')) return false;
    const keyOf = ({ body }: OwnBlock) => JSON.stringify([body!.digest, body!.idempotency_key]);
    const keys = (...kinds: string[]) => new Set(own.filter(({ kind }) => kinds.includes(kind)).map(keyOf));
    const outcomeKeys = keys('effect', 'settlement');
    return [...keys('dispatch')].some((key) => !outcomeKeys.has(key));
  }

  private pickFacts(body: Json): JsonObject {
    if (!isJsonObject(body)) return {};
    const facts = Object.fromEntries(Object.entries(body).filter(([key]) => RULE_FIELDS.has(key)));
    if (body.decision === 'answer') facts.value_hash = hashOf(body.value) ?? '';
    if (this.isMessage(body)) facts.says_message = true;
    if (this.messageParts() !== null) facts.said_part = hashOf(body) ?? '';
    if (body.type === 'text' && typeof body.text === 'string') facts.steer_digest = steerDigest(body.text);
    return facts;
  }

  private messageOfTurn(): Json | undefined {
    const { argument } = this.history;
    return argument === UNKNOWN ? undefined : object(argument).message;
  }

  /** The hashes of the parts of the turn's message; null: it is a text, or there is none. */
  private messageParts(): string[] | null {
    return (this.wantedParts ??= { hashes: partHashes(this.messageOfTurn()) }).hashes;
  }

  private isMessage(body: JsonObject): boolean {
    const message = this.messageOfTurn();
    return typeof message === 'string' && body.text === message && body.type === 'text' && Object.keys(body).length === 2;
  }

  /** H7, B3 */
  private start(body: Body, at: string, report: Report): void {
    if (body === null) return;
    this.signedStart(body, at, report);
    const { turn_id, workflow_id } = this.turn;
    if (body.turn_id !== turn_id || body.workflow_id !== workflow_id)
      report('B3', 'The transcript begins as that of another turn');
    const { store_id = null } = body;
    if (this.history.store !== undefined && store_id !== this.history.store)
      report('B3', 'The transcript begins over another store than the calls ran over');
    const { argument } = this.history;
    if (this.history.whole && argument !== UNKNOWN) this.checkRequest(body, object(argument), report);
  }

  /** H7: if decisions on calls are signed, the start is signed too. A sub-agent's turn relies on its parent's start. */
  private signedStart(body: JsonObject, at: string, report: Report): void {
    const { attestation, requester, session_id, agent, message_hash, signed_for, parent, definition_ref } = body;
    // A direct call need not name its agent.
    const signedFor = isJsonObject(signed_for) ? signed_for : { agent: object(agent).name, message_hash };
    const workflow_ids = [this.turn.workflow_id, ...(typeof session_id === 'string' ? [sessionWorkflowId(session_id)] : [])];
    const start = { requester, agent: signedFor.agent, message_hash: signedFor.message_hash, workflow_ids, at };
    const fault = attestation === undefined ? 'it is not signed' : this.history.startFault(attestation, start);
    const { approvals, approval_lists } = this.context.definitions.get(text(definition_ref)) ?? {};
    const requiresSignatures =
      Object.values(object(approvals)).some((policy) => object(policy).channel === 'attested') || wantsSignatures(approval_lists);
    if (fault !== null && requiresSignatures && parent === undefined)
      report(
        'H7',
        `Decisions on calls of this agent are signed, and the start of the turn by ${quote(requester)} does not hold: ${fault}`,
      );
  }

  private checkRequest(body: JsonObject, argument: JsonObject, report: Report): void {
    if (body.requester !== argument.requester)
      report('B3', `The transcript says that ${quote(body.requester)} asked, and the history says ${quote(argument.requester)}`);
    if (isMessage(argument.message)) {
      if (body.message_hash !== hashOf(argument.message))
        report('B3', 'The transcript begins with another message than the history');
      if (object(body.agent).name !== argument.agent) report('B3', 'The transcript is of another agent than the history');
    }
    if (typeof argument.input_json === 'string') {
      const { tool, asked_hash } = object(body.call);
      if (tool !== argument.tool || asked_hash !== hashOf(argument.input_json))
        report('B3', 'The transcript begins with another call than the history');
      const { agent, message_hash } = object(body.signed_for);
      const callHash = hashOf({ tool: text(argument.tool), input_json: argument.input_json });
      if (isJsonObject(body.signed_for) && (agent !== (argument.agent ?? '') || message_hash !== callHash))
        report('B3', 'The transcript says that the start was signed for another call than the history has');
    }
  }

  /** H5 */
  private message(body: Body, parts: string[], report: Report): void {
    for (const ref of parts) {
      const part = this.parts.get(ref) ?? null;
      if (part === null) this.unknown.messages = true;
      else if (part.says_message === true) this.saysMessage = true;
    }
    const messageParts = parts.slice(1).map((ref) => this.parts.get(ref)?.said_part ?? null);
    if (this.messageParts()?.join() === messageParts.join()) this.saysMessage = true;
    this.files.message(parts);
    if (body === null) return;
    if (isJsonObject(body.steer)) this.noteSteer(body.steer, this.parts.get(parts[1] ?? '') ?? null, report);
    for (const sub of list(body.sub_turns)) this.subTurns.push(object(sub));
  }

  private noteSteer(steer: JsonObject, part: Body, report: Report): void {
    const { by, at } = steer;
    this.steerers.push(plainName(text(by)));
    if (part !== null)
      this.history.checkAttestation(steer, { decision: 'steer', digest: part.steer_digest, outcome: null, by, at }, report);
  }

  /** B4, B5 */
  private admission(parts: string[], report: Report): void {
    const { history } = this;
    const own = parts.slice(1);
    const bodies = own.map((ref) => this.parts.get(ref) ?? null);
    if (bodies.includes(null)) this.unknown.admissions = true;
    for (const body of bodies) {
      const id = text(body?.call_id);
      if (body !== null) this.admissions.set(id, [...(this.admissions.get(id) ?? []), body]);
    }
    if (!history.whole) return;
    if (isMessage(this.messageOfTurn()) && !this.saysMessage && !this.unknown.messages)
      report('B4', 'The model was not shown the message that the turn was started with');
    const calls = history.admittedCalls.get(own.join());
    if (!calls && !history.unknown.admitted)
      report('B5', 'What the model asked for is not what the history says that it asked for');
  }

  /** H5, B6 */
  private decision(body: Body, writtenAt: number, report: Report): void {
    if (body === null) {
      this.unknown.decisions = true;
      return;
    }
    const { decision, digest, by, at, expires_at, attestation } = body;
    const { history } = this;
    history.checkAttestation(body, { decision, digest, outcome: null, by, at }, report);
    const head = claimsOf(attestation)?.head ?? null;
    if (head !== null && !this.context.blocks.has(head))
      report('H5', `${quote(by)} signed the decision over another transcript than this one`);
    const person = plainName(text(by));
    // The model reads it: its author had a hand in what follows.
    if (decision === 'answer') this.steerers.push(person);
    if (decision === 'edit') {
      const call = text(object(body.subject).call_id);
      this.editors.set(call, [...(this.editors.get(call) ?? []), person]);
    }
    const isAnswer = ANSWER_KINDS.has(decision);
    this.checkTimes(body, writtenAt, report);
    const decisions = isAnswer && history.whole ? history.decisions : null;
    const time = { at: timeOf(at), expires: timeOf(expires_at) };
    if (decisions?.has(decision, digest, by) && !decisions.has(decision, digest, by, time))
      report('B6', `The decision of ${quote(by)} bears a time before the signal or update that gave it`);
    if (decisions && !decisions.has(decision, digest, by))
      report('B6', `The transcript has a decision (${decision}) of ${quote(by)}, and no signal or update says so`);
  }

  /** B6: a decision is made before it is written and before it expires; a decision `expired` is made after that. */
  private checkTimes({ decision, by, at, expires_at }: JsonObject, writtenAt: number, report: Report): void {
    const then = timeOf(at);
    if (!(then <= writtenAt + CLOCKS_MS)) report('B6', `The decision of ${quote(by)} bears a time after it was written down`);
    if (decision === 'edit') return;
    const until = timeOf(expires_at);
    const late = decision === 'expired' ? !this.hasExpired(then, until) : !(then <= until);
    if (late && decision === 'expired') report('B6', 'The time to decide is said to have expired before it had');
    else if (late) report('B6', `The decision of ${quote(by)} came after the time to decide had expired`);
  }

  /** A query may have seen the timer first, by the clock of the task before: in this history, or in a run that was lost. */
  private hasExpired(at: number, expires: number): boolean {
    const { whole, began, decisions } = this.history;
    const isLost = !whole && at < expires && !(at >= began);
    return at >= expires - CLOCKS_MS || isLost || decisions.hasTimer({ at, expires });
  }

  /** B7 to B10 */
  private dispatch(block: OwnBlock, report: Report): void {
    const { body } = block;
    if (body === null) {
      this.unknown.dispatches = true;
      return;
    }
    this.dispatches.set(dispatchName(body, body.dispatch), body).set(dispatchName(body, null), body);
    const { history } = this;
    const calls = history.whole ? history.callsOf(body.digest) : [];
    const all = calls.filter(({ call }) => call.dispatch === body.dispatch);
    // The call that was left out may be the one of the run that wrote the block.
    const runs = history.wasReset && history.unknown.calls ? all.filter((run) => isOfTime(run, block)) : all;
    if (runs.length > 0) this.checkDispatches(body, runs, block, report);
    else if (history.whole && !history.unknown.calls)
      report('B7', 'The transcript has a dispatch that the history does not know: nothing was scheduled that has its digest');
    this.approvedUnder(body, report);
  }

  /** After a reset another run may have scheduled the same call. B7 to B9 hold together for one of these; else the first one's faults count. */
  private checkDispatches(body: JsonObject, runs: ScheduledCall[], block: OwnBlock, report: Report): void {
    const faults = runs.map((run) => {
      const reports: Parameters<Report>[] = [];
      this.checkDispatch(body, run, block, (...fault) => reports.push(fault));
      return reports;
    });
    if (faults.every((reports) => reports.length > 0)) for (const fault of faults[0]!) report(...fault);
  }

  private checkDispatch(body: JsonObject, run: ScheduledCall, block: OwnBlock, report: Report): void {
    const { call } = run;
    const same = ['tool', 'version', 'input_ref', 'preview_ref'].every((field) => body[field] === call[field]);
    const isOfOther = this.history.wasReset && !isOfRun(body, block, run);
    if (!same || body.call_id !== call.id || isOfOther)
      report('B7', 'What was dispatched is not the call that the history scheduled');
    if (call.class !== 'destructive')
      report('B7', `A call of class ${quote(call.class)} was dispatched, and only destructive ones are`);
    if (body.idempotency_key !== this.history.keyOf(run)) report('B7', 'The idempotency key is not that of the call');
    const admissions = (this.admissions.get(text(body.call_id)) ?? []).filter((it) => isAdmittedAs(it, body));
    if (admissions.length === 0 && !this.unknown.admissions)
      report('B8', `Call ${quote(body.call_id)} was dispatched, and no rule had let it pass`);
    this.checkApprovals(body, run, { admissions, written: block.approvals ?? [] }, report);
  }

  /** B9 */
  private checkApprovals(
    body: JsonObject,
    { call, verdict, approvals }: ScheduledCall,
    { admissions, written }: { admissions: JsonObject[]; written: readonly Approval[] },
    report: Report,
  ): void {
    const people = new Set(approvals.map(({ by }) => plainName(text(by))));
    const votes = approvals.map(voteOf);
    const approvers = new Set(written.filter(({ digest }) => digest === body.digest).map(({ person }) => person));
    const alike = people.size === approvers.size && [...people].every((person) => approvers.has(person));
    if (!alike && !this.unknown.decisions) report('B9', 'Other people approved the call by the transcript than by the history');
    const policy = object(body.approval);
    const asks = verdict === 'ask' || admissions.some((it) => it.verdict === 'ask' && it.undecided === undefined);
    const quorum = typeof policy.quorum === 'number' ? policy.quorum : 1;
    const count = countVotes(votes);
    if (asks && count < quorum) report('B9', `The call ran with ${count} approvals, and ${quorum} were asked for`);
    const behind = new Set(votes.flatMap(peopleOf).map(plainName));
    const starter = [...behind].map(starterOf).find((one) => one !== null);
    if (starter !== undefined) report('B9', `${quote(starter.name)} approved the call, and is a ${starter.kind}`);
    if (policy.four_eyes === true) this.fourEyes(body, call, behind, report);
    if (policy.channel === 'attested') signedAll(approvals, (at) => this.rolesAt(policy, call.digest, at), report);
    for (const { by, attestation } of approvals) {
      const fault = deputyshipFault(attestation, policy, { tool: body.tool, agent: object(body.subject).agent });
      if (fault !== null) report('B9', `The approval of ${quote(by)} for somebody else does not count: ${fault}`);
    }
  }

  /** The roles that may approve at this time, by what people were asked; empty: any. */
  private rolesAt(policy: JsonObject, digest: Json | undefined, at: Json | undefined): Json[] {
    const roles = list(policy.roles);
    if (roles.length === 0) return [];
    const { history } = this;
    const known = history.escalationsOf(digest);
    const isUnknown = known.length === 0 && history.unknown.escalations;
    const due = isUnknown ? list(policy.escalate).map(object) : known.filter((one) => timeOf(one.at) <= timeOf(at));
    return [...roles, ...due.flatMap((one) => list(one.roles))];
  }

  private fourEyes({ subject, call_id }: JsonObject, { makers }: JsonObject, people: Set<string>, report: Report): void {
    const authors = [object(subject).requester, ...list(makers)].map((name) => plainName(text(name)));
    const argument = this.history.argument === UNKNOWN ? {} : object(this.history.argument);
    const all = [...authors, plainName(text(argument.requester)), ...(this.editors.get(text(call_id)) ?? []), ...this.steerers];
    const both = all.find((person) => person !== '' && people.has(person));
    if (both !== undefined)
      report('B9', `${quote(both)} approved the call, and had asked for it, changed it or steered the turn`);
  }

  /** B10 */
  private approvedUnder(body: JsonObject, report: Report): void {
    const { definition_ref, policy_ref, tool, version, approval, subject } = body;
    const { class: kind = 'destructive' } = object(subject);
    const tools = list(this.context.definitions.get(text(definition_ref))?.tools).map(object);
    const classes = tools.filter((one) => one.name === tool && one.version === version).map((one) => one.class);
    if (kind !== 'destructive' || (classes.length > 0 && !classes.includes(kind)))
      report(
        'B10',
        `What was dispatched is said to be of class ${quote(kind)}, which is not that of the tool in the agent's definition`,
      );
    if (this.context.rules.requiresSignatures(text(policy_ref)) && object(approval).channel !== 'attested')
      report('B10', 'The call was dispatched as if any name approved it, and the recorded rules take signed decisions only');
    const definition = this.context.definitions.get(text(definition_ref));
    const policies = object(definition?.approvals);
    const policy = Object.hasOwn(policies, text(tool)) ? policies[text(tool)] : undefined;
    if (definition) this.underEntry(body, listOf(definition, tool), report);
    if (policy === undefined) return;
    const same = attempt(() => canonical(policy)) === attempt(() => canonical(approval ?? null));
    if (!same) report('B10', "The call was dispatched under another approval policy than that of the agent's definition");
  }

  /** B10: the policy is that of the entry that applies by the rules, and the definition has these rules. */
  private underEntry({ approval = null, policy_ref, tool, digest }: JsonObject, of: Json | undefined, report: Report): void {
    const { rules } = this.context;
    if (!rules.hasList(text(policy_ref), text(tool), of))
      report('B10', "The agent's definition has another list of approval rules for the tool than its rules");
    if (of === undefined) return;
    if (!isOfList(approval, of))
      report('B10', "The call was dispatched under another approval policy than that entry of the agent's definition has");
    const applies = rules.entryOf(text(digest));
    if (applies !== undefined && !isEntry(object(approval).entry, applies))
      report('B10', 'Another entry of the approval rules applies to the call than the one that it was dispatched under');
  }

  /** B11 */
  private outcome(kind: 'effect' | 'settlement', body: Body, report: Report, ref: string): void {
    if (body === null) return;
    const dispatch = this.dispatches.get(dispatchName(body, kind === 'effect' ? body.dispatch : null));
    if (!(dispatch && this.isOfDispatch(body, dispatch)) && !this.unknown.dispatches)
      report('B11', 'The transcript says what became of a call that was never dispatched');
    if (!this.history.whole) return;
    const outcomes = this.history.outcomesAt(ref);
    const other = outcomes.find(({ effect }) => effect !== stateOf(kind, body));
    if (other)
      report(
        'B11',
        `The transcript says that the call is ${quote(stateOf(kind, body))}, and the history says ${quote(other.effect)}`,
      );
  }

  /** After a reset the same call may have another digest: then it has the outcome of the dispatch before. */
  private isOfDispatch({ digest }: JsonObject, dispatch: JsonObject): boolean {
    if (digest === dispatch.digest) return true;
    const { call_id: id, tool, input_hash } = dispatch;
    const { wasReset, unknown } = this.history;
    const calls = this.history.callsOf(digest).map(({ call }) => call);
    const isSameAct = (call: JsonObject) => call.id === id && call.tool === tool && call.input_hash === input_hash;
    return wasReset && (unknown.calls || calls.some(isSameAct));
  }
}

function isOfTime({ argumentAt }: ScheduledCall, { at }: OwnBlock): boolean {
  return argumentAt === undefined || timeOf(argumentAt) === at;
}

/** After a reset: whether this run may have written the block. */
function isOfRun({ verdict }: JsonObject, block: OwnBlock, run: ScheduledCall): boolean {
  return isOfTime(run, block) && (verdict === undefined || verdict === (run.verdict ?? null));
}

function withApproval(before: OwnBlock['approvals'], kind: string, body: Body): OwnBlock['approvals'] {
  if (kind !== 'decision' || body?.decision !== 'approve') return before;
  return [...(before ?? []), { digest: body.digest, person: plainName(text(body.by)) }];
}

/** A key is that of one call and one digest. */
function dispatchName({ idempotency_key }: JsonObject, dispatch: Json | undefined): string {
  return JSON.stringify([idempotency_key ?? null, dispatch ?? null]);
}

function stateOf(kind: string, { effect, recorded, outcome }: JsonObject): Json | undefined {
  return kind === 'effect' ? effect : (recorded ?? outcome);
}

function isAdmittedAs(admission: JsonObject, { tool, version }: JsonObject): boolean {
  return admission.tool === tool && admission.version === version && admission.verdict !== 'rejected';
}

function signedAll(approvals: readonly JsonObject[], rolesAt: (at: Json | undefined) => Json[], report: Report): void {
  for (const { by, attestation, at } of approvals) {
    const claims = claimsOf(attestation);
    const roles = rolesAt(at);
    if (!claims) report('B9', `The approval of ${quote(by)} is not signed, and this call takes signed ones only`);
    else if (roles.length > 0 && !claims.roles.some((role) => roles.includes(role)))
      report('B9', `${quote(by)} has none of the roles that may approve this call`);
  }
}
