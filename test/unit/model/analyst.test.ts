import { fakes, large, ONE, OTHER, TOOLS } from './support/finance';
import { failed, play, type Fake } from '../../support/model/loop';
import { closeAll, stage } from '../../support/model/model';
import type { RehearsalOptions } from '../../../src/model/rehearsal';

afterEach(closeAll);

async function analyse(table: Record<string, Fake>, message = 'Write a credit memo on AAPL.', options: RehearsalOptions = {}) {
  const played = await play(await stage(options), message, TOOLS, table);
  const sends = played.steps.flat().filter((call) => call.name === 'send_credit_memo');
  return { ...played, sends, memo: String(sends[0]?.input.body_md) };
}

const declined = (message: string) => failed('CONFIRMATION_REQUIRED', 'FATAL_ERROR', 'denied', message);

test("the analyst plays the credit analyst's trace, step by step, in parallel where it can", async () => {
  const { steps, sends, text } = await analyse(fakes(ONE));
  expect(steps.map((step) => step.map((call) => call.name))).toEqual([
    ['search_filings', 'search_filings'],
    ['fetch_filing_section', 'fetch_filing_section', 'peer_companies'],
    ['ratio_card', 'ratio_card', 'ratio_card', 'ratio_card', 'get_quote', 'get_price_history'],
    ['calculate', 'stats_summary', 'search_news'],
    ['send_credit_memo'],
  ]);
  expect(steps[1]![0]!.input).toEqual({ ticker: 'AAPL', form: '10-K', date: '2025-10-31', section: 'Financials' });
  expect(steps[3]![1]!.input).toEqual({ values: [0.3567, 0.2801, 0.0912] });
  expect(Object.keys(sends[0]!.input).sort()).toEqual(['body_md', 'recipient', 'subject']);
  expect(sends[0]!.input.recipient).toBe('credit-committee@bank.example');
  expect(text).toContain('<m1@bank>');
  expect(text).toContain('rehearsal, not a model');
});

test('the memo states the figures of the results, so that other results give another memo', async () => {
  const one = (await analyse(fakes(ONE))).memo;
  const other = (await analyse(fakes(OTHER))).memo;
  for (const figure of [
    '215.4 USD as of 2026-09-01 (stale)',
    '24.12 %',
    '35.67 %',
    '16.67 %',
    'mean 24.27 %',
    'new-10-K',
    '28.50',
  ]) {
    expect(one).toContain(figure);
    if (figure !== 'new-10-K' && figure !== '28.50') expect(other).not.toContain(figure);
  }
  for (const figure of ['99.5 USD', '-5.00 %', '-25.00 %', '((-0.05) - 0.11) * 100 = -16', 'mean 22.00 %'])
    expect(other).toContain(figure);
  expect(one).toContain('Ratios of AAPL, pb: no share count');
  expect(one).toContain('EDGAR archive');
});

test('large results are read page by page first, and give the same memo', async () => {
  const direct = await analyse(fakes(ONE));
  const paged = await analyse(large(fakes(ONE), 150));
  expect(paged.memo).toBe(direct.memo);
  expect(paged.steps.flat().filter((call) => call.name === 'read_result').length).toBeGreaterThan(5);
});

test('a failed result is named in the memo as not available, and nothing is made up for it', async () => {
  const gone = () => failed('NETWORK_ERROR', 'TRANSIENT_ERROR', 'upstream_down', 'the price service is down');
  const table = { ...fakes({ ...ONE, margins: { AAPL: 0.2412, GOOGL: 0.2801 } }), get_quote: gone, get_price_history: gone };
  const { memo, steps } = await analyse(table);
  expect(memo).toContain('Quote: TRANSIENT_ERROR: the price service is down');
  expect(memo).toContain('Ratios of MSFT: USER_INPUT_ERROR: no card of MSFT');
  expect(memo).toContain('no price was available');
  expect(steps[3]!.find((call) => call.name === 'stats_summary')!.input.values).toEqual([0.2801]);
});

test('without any filing there is no memo, and the answer says why', async () => {
  const table = {
    ...fakes(ONE),
    search_filings: () => failed('RESOURCE_NOT_FOUND', 'USER_INPUT_ERROR', 'ticker_not_found', 'no such ticker', 'Try AAPL'),
  };
  const { sends, text } = await analyse(table, 'Memo on ZZZZ please');
  expect(sends).toHaveLength(0);
  expect(text).toContain('ZZZZ');
  expect(text).toContain('USER_INPUT_ERROR: no such ticker (Try AAPL)');
});

test.each([
  ['Write a memo about TSLA for risk@bank.example', 'TSLA', 'risk@bank.example'],
  ['Please assess (MSFT), its 10-K and MD&A; mail to a.b@x.example.', 'MSFT', 'a.b@x.example'],
  ['assess $F and send it', 'F', 'credit-committee@bank.example'],
  ['Show what you can do.', 'AAPL', 'credit-committee@bank.example'],
  ['Write a CEO memo on US credit', 'AAPL', 'credit-committee@bank.example'],
])('from %j it takes the ticker %s and the recipient %s', async (message, ticker, recipient) => {
  const { steps, sends } = await analyse(fakes({ ...ONE, margins: { ...ONE.margins, [ticker]: 0.1 } }), message);
  expect(steps[0]![0]!.input).toEqual({ ticker, form: '10-K' });
  expect(sends[0]!.input.recipient).toBe(recipient);
});

test('when the user says not to send, nothing is proposed', async () => {
  const { sends, text } = await analyse(fakes(ONE), "Write a memo on AAPL, but don't send it");
  expect(sends).toHaveLength(0);
  expect(text).toContain('215.4 USD');
});

test('a declined memo is reported with the note, and nothing is claimed to be sent', async () => {
  const { sends, text } = await analyse({
    ...fakes(ONE),
    send_credit_memo: () => declined('ana@bank.example declined: figures look old'),
  });
  expect(sends.length).toBeLessThanOrEqual(2);
  expect(text).toContain('Nothing was sent');
  expect(text).toContain('figures look old');
});

test('a note that names another address gets one new proposal, to that address', async () => {
  const notes = ['denied by ana@bank.example: send it to risk@bank.example instead', 'denied by ana: no, to cfo@bank.example'];
  const seen: string[] = [];
  const send = ({ recipient }: any) => (seen.push(recipient), declined(notes[seen.length - 1]!));
  const { text } = await analyse({ ...fakes(ONE), send_credit_memo: send });
  expect(seen).toEqual(['credit-committee@bank.example', 'risk@bank.example']);
  expect(text).toContain('Nothing was sent');
});

test('after a corrected recipient was approved, the answer names the new recipient', async () => {
  let count = 0;
  const send = (input: any) => (count++ === 0 ? declined('by ana: use risk@bank.example') : fakes(ONE).send_credit_memo!(input));
  const { text } = await analyse({ ...fakes(ONE), send_credit_memo: send });
  expect(text).toContain('was sent to risk@bank.example');
});

test.each([
  ['expired', 'nobody decided within 24 h', 'Nothing was sent'],
  ['in_doubt', 'it is in doubt whether this took effect', 'in doubt'],
  ['outcome_unknown', 'send_credit_memo was dispatched and nothing more is known', 'in doubt'],
])('an outcome %s is reported as such, and not tried again', async (reason, message, words) => {
  const code = reason === 'expired' ? 'CONFIRMATION_REQUIRED' : 'EXECUTION_ERROR';
  const send = () => failed(code, 'FATAL_ERROR', reason, message);
  const { sends, text } = await analyse({ ...fakes(ONE), send_credit_memo: send });
  expect(sends).toHaveLength(1);
  expect(text).toContain(words);
});

test.each([
  'malformed-json',
  'cut-json',
  'unknown-tool',
  'proto-tool',
  'duplicate-keys',
  'bad-input',
  'server-tool',
  'thinking',
  'pause-turn',
  'confirmed',
] as const)('after the fault %s the analyst gets back to the memo', async (kind) => {
  const table = fakes(ONE);
  const strict = Object.fromEntries(
    Object.entries(table).map(([name, fake]): [string, Fake] => [
      name,
      (input) =>
        Object.keys(input).length > 0 && !('confirmed' in input)
          ? fake(input)
          : failed('INVALID_PARAMS', 'USER_INPUT_ERROR', 'schema', 'not so'),
    ]),
  );
  const { text, sends } = await analyse(strict, undefined, { faults: [{ kind }] });
  expect(text).toContain('was sent to');
  expect(sends.at(-1)!.input.body_md).toBe((await analyse(strict)).memo);
});

test('a second turn of a session starts the trace anew, on the company of the first', async () => {
  const first = await play(await stage(), 'Memo on AAPL', TOOLS, fakes(ONE));
  const { ask } = await stage();
  const messages = [
    ...first.messages,
    { role: 'user' as const, content: [{ type: 'text', text: 'again, to new@bank.example' }] },
  ];
  const response = await ask({ messages, tools: TOOLS });
  expect(response.content.filter((block) => block.type === 'tool_use').map((block) => block.input)).toEqual([
    { ticker: 'AAPL', form: '10-K' },
    { ticker: 'AAPL', form: '10-Q' },
  ]);
});

test('steering in the middle of a turn changes the recipient and loses nothing', async () => {
  const { ask } = await stage();
  const { messages } = await play(await stage(), 'Memo on AAPL', TOOLS, fakes(ONE));
  const upToSend = messages.slice(0, 9);
  const steer = { role: 'user' as const, content: [{ type: 'text', text: 'send it to steer@bank.example' }] };
  const response = await ask({ messages: [...upToSend, steer], tools: TOOLS });
  expect(response.content.at(-1)).toMatchObject({ name: 'send_credit_memo', input: { recipient: 'steer@bank.example' } });
});
