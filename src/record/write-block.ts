/** Builds blocks, with one function for each kind. Each takes the bodies of its kind, and returns a block to append. */
import type { CallOutcome, CallArguments, ModelOrigin, TurnContext } from '../shared/io/activities';
import { asJson, type Json, type JsonObject } from '../shared/json/json';
import type { Steer } from '../shared/approval/decision';
import type { BlockKind } from '../shared/turn/transcript';
import {
  type AdmissionCall,
  type AnsweringTurn,
  type DecisionBody,
  type DirectRequest,
  type DispatchBody,
  type EffectBody,
  type EndBody,
  type MessageHead,
  type ModelRequest,
  type PersonSettlement,
  type ProbeSettlement,
  type StartBody,
  type SummaryBody,
  VENDOR_ANSWER,
} from './blocks';
import { callSubject, type NamedForSubject } from './subject';

/** What a block holds besides its place in the chain and its time. */
export interface BlockContent {
  kind: BlockKind;
  /** One part each, in order. */
  bodies: Json[];
}

/** An enrolment of a passkey, as it was signed. @param passkey its id, whose it is, and the hash of its key */
export function enrolmentBlock(
  { kid, principal, fingerprint }: { kid: string; principal: string; fingerprint: string },
  enrolment: string,
  by: string,
): BlockContent {
  const nowhere = { turn_id: '', agent: '', call_id: '1.1', revision: 1, tool: '', version: '', class: '' };
  const subject = { ...nowhere, workflow_id: `passkey/${kid}`, requester: principal };
  return { kind: 'enrolment', bodies: [{ digest: fingerprint, by, enrolment, subject }] };
}

/**
 * A deputyship, as it was signed, or its end before its time.
 * @param deputyship its id, for whom it is, and the hash of the signed text
 */
export function deputyBlock(
  { id, person, hash }: { id: string; person: string; hash: string },
  what: { signed: string } | { ended: true },
  by: string,
): BlockContent {
  const nowhere = { turn_id: '', agent: '', call_id: '1.1', revision: 1, tool: '', version: '', class: '' };
  const subject = { ...nowhere, workflow_id: `deputy/${id}`, requester: person };
  return { kind: 'deputy', bodies: [{ digest: hash, by, ...what, subject }] };
}

export type StopAct = 'frozen' | 'unfrozen' | 'approvals_withdrawn';

/** A use of the stop switch. @param about what is frozen, or whose approvals were withdrawn */
export function stopBlock(
  act: StopAct,
  about: { scope: string; name: string } | { approver: string },
  by: string,
  reason: string,
): BlockContent {
  const nowhere = { turn_id: '', agent: '', requester: '', call_id: '1.1', revision: 1, tool: '', version: '', class: '' };
  const named =
    'approver' in about
      ? { requester: about.approver, workflow_id: 'stop/approver' }
      : {
          ...(about.scope === 'agent' ? { agent: about.name } : {}),
          ...(about.scope === 'tool' ? { tool: about.name } : {}),
          ...(about.scope === 'tenant' ? { requester: `${about.name}/` } : {}),
          workflow_id: `stop/${about.scope}`,
        };
  return { kind: 'stop', bodies: [{ act, ...about, by, reason, subject: { ...nowhere, ...named } }] };
}

export function startBlock(body: StartBody): BlockContent {
  return { kind: 'start', bodies: [asJson(body)] };
}

/** @param content as it goes over the wire; each block of it is a part */
export function messageBlock(role: MessageHead['role'], content: JsonObject[]): BlockContent {
  const head: MessageHead = { role };
  return { kind: 'message', bodies: [asJson(head), ...content] };
}

/** An answer of a model. @param raw the same in the vendor's own form; undefined: that is `content` */
export function answerBlock(content: JsonObject[], origin: ModelOrigin, raw: Json | undefined): BlockContent {
  const head: MessageHead = { role: 'assistant', origin };
  return { kind: 'message', bodies: [asJson(head), ...content, ...(raw === undefined ? [] : [{ type: VENDOR_ANSWER, raw }])] };
}

/** Results of calls. @param subTurns turns of sub-agents that gave some of the results */
export function resultsBlock(content: JsonObject[], subTurns: AnsweringTurn[]): BlockContent {
  const head: MessageHead = { role: 'user', ...(subTurns.length === 0 ? {} : { sub_turns: subTurns }) };
  return { kind: 'message', bodies: [asJson(head), ...content] };
}

/** A message to the running turn: its text for the model; for the record the sender, the time and the channel. */
export function steerBlock({ text, ...steer }: Steer): BlockContent {
  const head: MessageHead = { role: 'user', steer };
  return { kind: 'message', bodies: [asJson(head), { type: 'text', text }] };
}

export function admissionBlock(request: ModelRequest | DirectRequest, calls: AdmissionCall[]): BlockContent {
  return { kind: 'admission', bodies: [asJson(request), ...calls.map((call) => asJson(call))] };
}

/** The decisions on a call, in order: those on its earlier revisions come first. */
export function decisionBlocks(
  turn: TurnContext,
  call: NamedForSubject & Pick<CallArguments, 'earlier'>,
  decisions: NonNullable<CallOutcome['approvals']>,
): BlockContent[] {
  const before = (call.earlier ?? []).map(({ revision, ...decision }) =>
    decisionBlock({ ...decision, subject: callSubject(turn, { ...call, revision }) }),
  );
  const now = decisions.map((decision) => decisionBlock({ ...decision, subject: callSubject(turn, call) }));
  return [...before, ...now];
}

function decisionBlock(body: DecisionBody): BlockContent {
  return { kind: 'decision', bodies: [asJson(body)] };
}

export function dispatchBlock(body: DispatchBody): BlockContent {
  return { kind: 'dispatch', bodies: [asJson(body)] };
}

export function effectBlock(body: EffectBody): BlockContent {
  return { kind: 'effect', bodies: [asJson(body)] };
}

export function settlementBlock(body: PersonSettlement | ProbeSettlement): BlockContent {
  return { kind: 'settlement', bodies: [asJson(body)] };
}

export function summaryBlock(body: SummaryBody): BlockContent {
  return { kind: 'summary', bodies: [asJson(body)] };
}

export function endBlock(body: EndBody): BlockContent {
  return { kind: 'end', bodies: [asJson(body)] };
}
