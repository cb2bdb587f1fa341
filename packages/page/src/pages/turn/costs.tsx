/** What a turn took: tokens and cost of the model, in all and by step. */
import type { StreamedEvent } from '../../../../../src/shapes/turn-event';
import type { ShownTurn, TurnUsage } from '../../../../../src/shapes/turn-view';
import { costWords, count } from '../../lib/format';
import { stepCosts } from '../../lib/step-costs';
import { Facts } from '../../parts/facts';
import { Words } from '../../parts/text';

interface Props {
  view: ShownTurn;
  events: readonly StreamedEvent[];
}

export function Costs({ view: { usage, step, calls, earlier_calls: earlier, sub_turns: below = [] }, events }: Props) {
  const steps = stepCosts(events);
  return (
    <section>
      <h2>Costs</h2>
      <Facts rows={rowsOf(usage, step, calls.length + (earlier?.count ?? 0))} />
      {steps.length > 0 && (
        <>
          <h3>By step</h3>
          <Steps steps={steps} />
        </>
      )}
      {below.length > 0 && <p class="hint">The sums above include the sub-agents; the steps are those of this turn alone.</p>}
    </section>
  );
}

function rowsOf(usage: TurnUsage, steps: number, calls: number): [string, string][] {
  const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens: written } = usage;
  return [
    ['Cost of the model', costWords(usage)],
    ['Steps', count(steps)],
    ['Calls', count(calls)],
    ['Tokens in', count(input_tokens)],
    ['Tokens out', count(output_tokens)],
    ['Tokens read from the cache', count(cache_read_tokens)],
    ...(written === undefined ? [] : [['Tokens written to the cache', count(written)] as [string, string]]),
  ];
}

function Steps({ steps }: { steps: ReturnType<typeof stepCosts> }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Costs by step">
      <table>
        <thead>
          <tr>
            {['Step', 'Asked for', 'Tokens in', 'Tokens out', 'From the cache', 'Cost'].map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map(({ step, tools, usage }) => (
            <tr>
              <td data-label="Step">{count(step)}</td>
              <td data-label="Asked for">{tools.length === 0 ? 'no call' : <Words of={tools.join(', ')} />}</td>
              <td data-label="Tokens in">{count(usage.input_tokens)}</td>
              <td data-label="Tokens out">{count(usage.output_tokens)}</td>
              <td data-label="From the cache">{count(usage.cache_read_tokens)}</td>
              <td data-label="Cost">{costWords(usage)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
