/** Short labels: the state of a turn or call, the class of a tool, why a card is asked. */
import { stateInWords } from '../lib/format';
import { Words } from './text';
import type { Tone } from './notice';

const TONES: Record<string, Tone> = {
  ...{
    awaiting_approval: 'warn',
    awaiting_answer: 'warn',
    waiting: 'warn',
    in_doubt: 'bad',
    failed: 'bad',
    limit: 'bad',
    denied: 'bad',
  },
  ...{ completed: 'good', succeeded: 'good', applied: 'good', approved: 'good', enrolled: 'good', revoked: 'bad' },
};

export function toneOf(state: string): Tone {
  return Object.hasOwn(TONES, state) ? TONES[state]! : 'plain';
}

export function State({ of }: { of: string }) {
  return (
    <span class={`badge ${toneOf(of)}`}>
      <Words of={stateInWords(of)} />
    </span>
  );
}

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: string }) {
  return (
    <span class={`badge ${tone}`}>
      <Words of={children} />
    </span>
  );
}

export const KINDS: Record<string, string> = { approval: 'approval', in_doubt: 'in doubt', question: 'question' };
