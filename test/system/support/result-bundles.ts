/** Sample bundles of turns whose agent gives a result. For make-bundles.ts. */
import { agentTool } from '../../../src/agents/agent-tool';
import type { Agent } from '../../../src/agents/agent';
import { ask, say, type Answer } from '../../support/scripted-model';
import { agent, ended, lookUp, read, type Scenario } from './bundle-scenario';

const result = {
  type: 'object',
  properties: { invoice: { type: 'string' }, cents: { type: 'integer', minimum: 1 } },
  required: ['invoice', 'cents'],
};
const reader = agent('reader', { prompt: 'You read invoices.', tools: [read], result });

export const RESULT_AGENTS: readonly Agent[] = [
  reader,
  agent('sorter', { prompt: 'You have invoices read.', tools: [agentTool(reader, { description: 'Reads an invoice.' })] }),
];

export const RESULT_SCRIPTS: Record<string, Answer[]> = {
  'Read INV-7.': [
    lookUp('INV-7'),
    ask(['give_result', { invoice: 'INV-7', cents: '700' }]),
    say('{"invoice": "INV-7", "cents": 700}'),
  ],
  'Guess.': [say('Hm.'), say('About 700.'), ask(['give_result', { invoice: 'INV-7' }])],
  'Have it read.': [ask(['reader', { task: 'Read INV-7.' }]), say('It is 700 cents.')],
};

export const RESULTS: Record<string, Scenario> = {
  /** The first result does not fit; the second comes as the text of the last answer. */
  typed: async ({ start }) => ended(await start('Read INV-7.', { requester: 'rita', agent: 'reader' })),
  untyped: async ({ start }) => ended(await start('Guess.', { requester: 'rita', agent: 'reader' })),
  typed_below: async ({ start }) => ended(await start('Have it read.', { requester: 'rita', agent: 'sorter' })),
};
