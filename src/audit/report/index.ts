/** Builds the report: a bundle as a document for readers, which is written as HTML or as Markdown. */
import type { CaseFile } from '../case-file';
import { comparison } from './compare';
import { code, facts, type Doc, type Node, type VerificationSummary } from './doc';
import { TextLimits } from './text-limits';
import { turnSection } from './sections';
import { count, name, quote } from './format-values';

export { html } from './html';
export { markdown } from './markdown';
export { summarizeVerification } from './verification';
export type { Doc } from './doc';

export interface ReportInput {
  file: CaseFile;
  /** Null: the bundle was not verified. */
  verification: VerificationSummary | null;
}

const MOST_TURNS = 100;

export function report(input: ReportInput): Doc {
  return { title: titleOf(input.file), body: bodyOf(input, new TextLimits()) };
}

/** Two bundles side by side: first the differences, then both. */
export function reportComparison(left: ReportInput, right: ReportInput): Doc {
  const limits = new TextLimits();
  return {
    title: `${titleOf(left.file)} and ${titleOf(right.file)}`.replace('and Audit report:', 'and'),
    body: [
      { is: 'section', id: limits.id(), title: 'What differs', body: comparison(left.file, right.file) },
      {
        is: 'section',
        id: limits.id(),
        title: 'Both in full',
        body: [{ is: 'columns', columns: [bodyOf(left, new TextLimits('a')), bodyOf(right, new TextLimits('b'))] }],
      },
    ],
  };
}

function titleOf({ bundle }: CaseFile): string {
  if (bundle === null) return 'Audit report: a file that is no bundle';
  return `Audit report: ${name(bundle.subject.kind)} ${name(bundle.subject.id)}`;
}

function bodyOf({ file, verification }: ReportInput, limits: TextLimits): Node[] {
  const turns = file.turns.slice(0, MOST_TURNS);
  const more = file.turns.length - turns.length;
  return [
    { is: 'section', id: limits.id(), title: 'Can this record be trusted?', body: trust(file, verification) },
    ...turns.map((turn) => turnSection(turn, limits)),
    ...(more > 0 ? [{ is: 'paragraph' as const, text: `${count(more, 'more turn')} in the bundle.` }] : []),
    { is: 'section', id: limits.id(), title: 'The bundle', body: particulars(file) },
  ];
}

function trust({ fault, end, leftOut }: CaseFile, verification: VerificationSummary | null): Node[] {
  const { tone, headline, details } = verification ?? NOT_VERIFIED;
  const lines = [
    ...details,
    ...(fault ? [`Reading ended at line ${fault.n}: ${quote(fault.reason, 400)} What stands below comes before it.`] : []),
    ...(end === null && !fault ? ['The file has no last line: it was cut short.'] : []),
    ...(end && !end.complete ? ['The bundle says itself that it is not complete.'] : []),
    ...(end?.redaction
      ? [
          `It was redacted: ${count(leftOut.parts, 'part')} and ${count(leftOut.payloads, 'payload')} of the history were left out. Reason: ${quote(end.redaction.reason)}`,
        ]
      : []),
    ...(leftOut.tooLarge > 0
      ? [`${count(leftOut.tooLarge, 'part')} of the bundle ${leftOut.tooLarge === 1 ? 'is' : 'are'} too large for a report.`]
      : []),
  ];
  return [{ is: 'notice', tone: fault ? 'bad' : tone, title: headline, items: lines }];
}

const NOT_VERIFIED: VerificationSummary = {
  tone: 'warn',
  headline: 'Nobody has verified this bundle yet.',
  details: [
    'Run `holdfast audit verify FILE --trust KEYS` with keys that you trust: until then everything below is what the file says of itself.',
  ],
};

function particulars({ bundle, end, objects, turns }: CaseFile): Node[] {
  return facts([
    ['subject', bundle && `${name(bundle.subject.kind)} ${name(bundle.subject.id)}`],
    ['agent', bundle && name(bundle.agent)],
    ['namespace', bundle && name(bundle.namespace)],
    [
      'made',
      bundle && `${name(bundle.made_at)}, by holdfast ${name(bundle.made_by.holdfast)} on Node ${name(bundle.made_by.node)}`,
    ],
    ['turns', String(turns.length)],
    [
      'rules and definitions in it',
      objects.size > 0 && [...objects.keys()].slice(0, 20).flatMap((ref, index) => [...(index > 0 ? [', '] : []), code(ref)]),
    ],
    ['lines', end && String(end.lines)],
    ['root', end && code(end.root)],
    ['key', end && code(end.kid)],
    [
      'the agent’s bundle before',
      end && (end.previous ? [`${name(end.previous.subject)}, root `, code(end.previous.root)] : 'none: this is the first'),
    ],
  ]);
}
