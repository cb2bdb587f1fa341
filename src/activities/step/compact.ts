/**
 * Compacts a conversation that comes near the model's context window. Old results are left out first; if that is not enough, the
 * model writes a summary of all but the end. A summary block records either; nothing is removed from the chain.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { CompactInput, CompactOutput, StepUsage } from '../../shared/io/activities';
import { NO_USAGE } from '../../shared/turn/usage';
import type { ModelMessage } from '../../model/provider';
import { Draft } from '../../store/core/transcript';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { SummaryBody } from '../../record/blocks';
import { lastOf } from '../../record/read-block';
import { summaryBlock } from '../../record/write-block';
import { entriesOf, planOf, shortenEntries, withoutResults, windowUsage, saysFull } from './compaction';
import { containerOf, answerText } from './model-content';
import { addOutcomes, messagesOf } from './conversation';
import type { Dependencies } from '../ports';
import { agentSince } from './mcp-tools';
import { checkOwnTurn } from '../checks/own-turn';
import { showingCharacters } from '../call/heartbeat';
import { askModel, usageOf, type OwnedContainer } from './ask-model';
import { unknownAgent } from './take-step';

const ASK = [
  'Summarize this conversation so far, so that it can be continued from your summary alone. Do not call tools.',
  'Write down: what the user wants, in their words where they matter; what was found, with the exact figures, names, identifiers and references; what was done, and what every action that changed something outside did; what was refused, and why; what is still open. No introduction.',
].join(' ');

export async function compact(deps: Dependencies, { turn, at, head, outcomes }: CompactInput): Promise<CompactOutput> {
  const began = Date.now();
  await checkOwnTurn(deps, turn);
  const agent = await agentSince(deps, turn, head);
  if (!agent) throw unknownAgent(turn.agent, deps.registry.names());
  const draft = new Draft(deps.store, turn.first_execution_run_id, head);
  await addOutcomes(deps.store, draft, turn, at, outcomes);
  const blocks = await draft.whole();
  const entries = entriesOf(blocks);
  const all = messagesOf(blocks);
  const room = windowUsage(
    blocks,
    entries.map(({ message }) => message),
    agent,
  );
  const plan = planOf(entries, room);
  const about: SummaryBody = {
    v: 'holdfast.summary/1',
    cleared_to: null,
    summarized_to: null,
    text: null,
    context_tokens: room.used,
  };
  const add = (body: SummaryBody) => void draft.add(summaryBlock(body), at);
  let usage = NO_USAGE;
  if (plan.how === 'clear') add({ ...about, cleared_to: entries[plan.upTo]!.hash });
  if (plan.how === 'summarize') {
    // If the vendor reported that it is too long, the request for the summary may be too long as well.
    const full = saysFull(lastOf('admission', blocks)?.stop_reason);
    const toSum = entries.slice(0, plan.upTo + 1);
    const part = full ? shortenEntries(toSum.map(withoutResults), room) : toSum;
    const messages = part.map(({ message }) => message);
    const summary = await summarizeMessages(deps, agent, messages, { all, container: containerOf(blocks, agent) });
    usage = summary.usage;
    add({ ...about, summarized_to: entries[plan.upTo]!.hash, text: summary.text });
  }
  const did = ({ clear: 'cleared', summarize: 'summarized', nothing: 'nothing' } as const)[plan.how];
  return { head: await draft.store(), did, usage, took_ms: Date.now() - began };
}

/** Uses the same tools, prompt and messages as the steps before, so that the prompt cache applies. */
async function summarizeMessages(
  deps: Dependencies,
  agent: PreparedAgent,
  part: ModelMessage[],
  { all, container }: { all: ModelMessage[]; container: OwnedContainer | null },
): Promise<{ text: string; usage: StepUsage }> {
  const messages: ModelMessage[] = [...part, { role: 'user', content: [{ type: 'text', text: ASK }] }];
  const tools = agent.choice.shown(all, agent.catalogue);
  const show = showingCharacters();
  const answer = await askModel(deps, agent, { messages, tools, container, mayForceTools: false }, () => show);
  const text = answerText(answer.response);
  if (text.trim() === '')
    throw ApplicationFailure.retryable(
      'The model answered without a word of the summary that it was asked for.',
      'holdfast.no_summary',
    );
  return { text, usage: usageOf(deps, agent, answer) };
}
