/** The sections of a card that say where a call comes from: in whose words it was asked for, and whether outsiders' text was read. */
import type { CardWords } from '../shapes/card';
import { inlineCode } from '../shared/text/visible';
import { section, type Room } from './card-text';

export interface Origin {
  requester: string;
  makers?: string[];
  words?: CardWords[];
  untrusted?: boolean;
}

/** In whose words the call came about, and whether outsiders may have had a part in it. */
export function originSections({ requester, makers, words, untrusted }: Origin, room: Room): string[] {
  return [
    '### In whose words',
    '',
    ...(words ?? []).flatMap((one) => [`${SPEAKERS[one.from](inlineCode(one.by))}`, '', wordsText(one, room), '']),
    ...(words?.length === 0 ? [`${inlineCode(requester)} asked for exactly this call: no model has chosen it.`, ''] : []),
    `- asked by ${inlineCode(requester)}`,
    ...(makers?.length ? [`- changed or steered by: ${makers.map(inlineCode).join(', ')}`] : []),
    '',
    ...(untrusted === undefined ? [] : ['### Text of outsiders', '', untrusted ? READ_OUTSIDERS : READ_NO_OUTSIDERS, '']),
  ];
}

const SPEAKERS: Record<CardWords['from'], (by: string) => string> = {
  requester: (by) => `${by} began the turn with:`,
  steering: (by) => `${by} said to the running turn:`,
  agent: (by) => `Agent ${by} gave this turn the task:`,
};

function wordsText({ text, cut, missing }: CardWords, room: Room): string {
  const rest = missing === undefined ? 'The rest is' : `The other ${missing} characters are`;
  return section(text, room) + (cut ? `\n\n${rest} in the transcript of the turn.` : '');
}

const READ_OUTSIDERS =
  '**Read before.** The conversation had read text that outsiders wrote before this call was proposed. They may have wanted the call.';
const READ_NO_OUTSIDERS = 'None: the conversation had read no text of outsiders before this call was proposed.';
