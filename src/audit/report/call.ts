/** The section of the report about one call: its input, its decisions, what ran for it, and its outcome. */
import { object, objectOrNull, text, textOrNull } from '../../record/fields';
import type { ActivityCase, CallCase, TurnCase } from '../case-file';
import type { Signature } from '../case-file/signatures';
import { diffFields, inputBefore, modelsInput } from './input-changes';
import { code, facts, type Node, type Text } from './doc';
import type { TextLimits } from './text-limits';
import { decisionText, describeOutcome, settledBy } from './narrative';
import { waitedMs } from './waits';
import { between, beyondNote, count, duration, name, pretty, quote, short, describeSignature, when } from './format-values';

export function callSection(call: CallCase, turn: TurnCase, id: string, limits: TextLimits): Node {
  const { tool, version, question, error, result, note, summary } = call;
  const revision = call.revision > 1 ? `, revision ${call.revision}` : '';
  return {
    is: 'section',
    id,
    title: `Call ${name(call.id)}${revision}: ${name(tool)}${call.takenBack ? ' (taken back by a reset)' : ''}`,
    body: [
      { is: 'paragraph', text: `It ${describeOutcome(call)}` },
      ...facts([
        ['tool', `${name(tool)} ${name(version)}, class ${name(call.class)}`],
        ['verdict', verdict(call)],
        ['digest', call.digest && code(call.digest)],
        ['idempotency key', call.idempotencyKey && code(call.idempotencyKey)],
        ['rules', call.policyRef && code(call.policyRef)],
        ['asked by the model as', call.toolUseId && code(call.toolUseId)],
        ['effect', call.effect && name(call.effect)],
        ['sub-agent’s turn', call.subTurnId && name(call.subTurnId)],
      ]),
      ...inputNodes(call, turn, limits),
      ...(question ? questionNodes(call, limits) : []),
      ...decisionNodes(call),
      ...attempts(call),
      ...settlements(call),
      ...effectRecord(call),
      ...(error ? [limits.quote('Error', pretty(error))] : []),
      ...(result ? [limits.quote('Result', pretty(result.envelope ?? result))] : []),
      ...(result === null && summary !== null ? [limits.quote('Result, in short', summary)] : []),
      ...(result === null && call.resultRef !== null ? [missing('The result itself', call.resultRef)] : []),
      ...(note ? [limits.quote('What the engine told the model besides', note)] : []),
    ],
  };
}

function verdict({ verdict: admissionVerdict, reason }: CallCase): Text | null {
  if (admissionVerdict === null) return null;
  const words =
    { allow: 'allowed without a person', ask: 'a person had to be asked', rejected: 'refused by admission' }[admissionVerdict] ??
    name(admissionVerdict);
  return reason === null ? words : `${words}: ${quote(reason)}`;
}

function inputNodes(call: CallCase, { calls }: TurnCase, limits: TextLimits): Node[] {
  const { input, askedInput, changes } = call;
  const fields = diffFields(inputBefore(call, calls), input);
  const wrote = input === null || diffFields(modelsInput(call), input).length > 0 ? askedInput : null;
  return [
    input === null
      ? { is: 'paragraph', text: 'Its input was left out, or never recorded.' }
      : limits.quote('Input, as it counts', pretty(input), { open: true }),
    ...(fields.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            caption: call.revision > 1 ? 'What was changed since the revision before' : 'What differs from what the model wrote',
            head: ['field', 'before', 'now'],
            rows: fields.map(({ field, before, after }): Text[] => [code(field), limits.cut(before), limits.cut(after)]),
          },
        ]),
    ...(changes.length === 0 ? [] : [{ is: 'list' as const, items: changes.map(changeText) }]),
    ...(wrote === null ? [] : [limits.quote('What the model wrote', wrote)]),
  ];
}

function changeText({ hook, why, by }: CallCase['changes'][number]): Text {
  return `Changed by ${text(by) !== '' ? name(text(by)) : `hook ${name(text(hook))}`}: ${quote(text(why), 1000)}`;
}

function questionNodes(call: CallCase, limits: TextLimits): Node[] {
  const { askedAt, expiresAt, card, cardRef, policy, held, makers, preview } = call.question!;
  return [
    { is: 'heading', text: 'What people were asked' },
    ...facts([
      ['asked', when(askedAt)],
      ['waited', waitedMs(call) !== null && duration(waitedMs(call))],
      ['would expire', expiresAt && when(expiresAt)],
      ['needed', policy && policyText(policy)],
      ['changed or steered by', makers.length > 0 && makers.map(name).join(', ')],
    ]),
    ...held.map((reason): Node => limits.quote(`Why it was asked about again: ${name(text(reason.kind))}`, text(reason.text))),
    ...(preview === null ? [] : [limits.quote('Preview', pretty(preview))]),
    ...(card === null
      ? [missing('The card', cardRef)]
      : [
          {
            is: 'fold' as const,
            id: limits.id(),
            title: 'The card, as it was shown',
            open: false,
            body: [limits.quote('Card (Markdown)', card)],
          },
        ]),
  ];
}

function policyText(policy: NonNullable<NonNullable<CallCase['question']>['policy']>): string {
  const { quorum, channel, four_eyes, roles, entry } = policy;
  const { index, when } = object(entry);
  const by = typeof index === 'number' ? `; by entry ${index} of the approval rules${text(when) && ` (${text(when)})`}` : '';
  const many = typeof quorum === 'number' ? quorum : 1;
  const of = Array.isArray(roles) && roles.length > 0 ? `, of the roles ${roles.map((role) => name(text(role))).join(', ')}` : '';
  return `${count(many, 'person', 'people')}${channel === 'attested' ? ', signed decisions only' : ', names not proved'}${four_eyes === true ? ', nobody who asked for it, changed it or steered the turn' : ''}${of}${by}`;
}

function decisionNodes({ decisions }: CallCase): Node[] {
  if (decisions.length === 0) return [];
  const items = decisions.map((decision): Text => {
    const { claims, channel, identity } = decision;
    const roles =
      Array.isArray(claims?.roles) && claims.roles.length > 0
        ? `; roles ${claims.roles.map((role) => name(text(role))).join(', ')}`
        : '';
    const way = channel === null ? '' : `; by ${name(channel)}${identity ? `, sent as ${name(identity)}` : ''}`;
    const saw = typeof claims?.head === 'string' ? `; signed over transcript ${short(claims.head)}` : '';
    return `${decisionText(decision)}${way}${roles}${saw}`;
  });
  return [
    { is: 'heading', text: 'Decisions' },
    { is: 'list', items },
  ];
}

function attempts({ activities }: CallCase): Node[] {
  if (activities.length === 0) return [];
  const rows = activities.map((activity): Text[] => [
    WHAT[activity.type] ?? name(activity.type),
    when(activity.startedAt ?? activity.scheduledAt),
    duration(between(activity.startedAt ?? activity.scheduledAt, activity.endedAt)),
    String(activity.attempts),
    name(activity.worker ?? 'none'),
    describeEnd(activity),
  ]);
  return [{ is: 'table', caption: 'What ran for it', head: ['what', 'began', 'took', 'attempts', 'worker', 'ended'], rows }];
}

const WHAT: Readonly<Record<string, string>> = {
  admitCall: 'admission (preview, card)',
  runCall: 'the call',
  inspectEffect: 'look for the effect of a lost attempt',
  reconcileEffect: "the tool's probe",
  completeCall: 'the end of a pending call',
  settleEffect: 'settlement',
  openSubTurn: "beginning of the sub-agent's turn",
  closeSubTurn: "end of the sub-agent's turn",
};

function describeEnd({ outcome, failure, lastFailure, attempts: many, output, takenBack }: ActivityCase): string {
  const result = object(object(output).outcome ?? object(output).settled ?? output);
  const effect = textOrNull(result.effect);
  const before = many > 1 && lastFailure ? `; the attempt before: ${quote(lastFailure)}` : '';
  const how = failure === null ? outcome.replace('_', ' ') : `${outcome.replace('_', ' ')}: ${quote(failure)}`;
  return `${how}${effect === null ? '' : `, effect ${name(effect)}`}${before}${takenBack ? '; taken back by a reset' : ''}`;
}

function settlements({ settlements: all }: CallCase): Node[] {
  if (all.length === 0) return [];
  const items = all.map((settlement): Text => {
    const { outcome, note, evidence, at, signature, claims } = settlement;
    const proofText = `${describeSignature(signature as Signature)}${beyondNote(objectOrNull(claims ?? null), note ?? null)}`;
    const sure = text(settlement.by) === '' ? '' : ` (${proofText})`;
    return `${settledBy(settlement)}${sure}, ${when(textOrNull(at))}: ${name(text(outcome))}${text(note) ? `, ${quote(text(note))}` : ''}${text(evidence) ? `; evidence: ${quote(text(evidence), 1000)}` : ''}`;
  });
  return [
    { is: 'heading', text: 'Settled' },
    { is: 'list', items },
  ];
}

function effectRecord({ record }: CallCase): Node[] {
  if (record === null) return [];
  const { state, claimed_at, updated_at, dispatch, attempt, run_id } = record;
  const sentence = `The effect record says ${name(state ?? '')}: dispatch ${String(dispatch)}, attempt ${String(attempt)}, claimed ${when(claimed_at)}, last changed ${when(updated_at)}, in run ${short(run_id)}.`;
  return [{ is: 'paragraph', text: sentence }];
}

function missing(what: string, ref: string | null): Node {
  return {
    is: 'paragraph',
    text: [`${what} was left out, or is not in the bundle`, ...(ref === null ? ['.'] : [': ', code(ref)])],
  };
}
