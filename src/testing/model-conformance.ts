/**
 * What every model provider must do, as checks for any test runner. The provider is asked through a server that speaks the vendor's
 * protocol and answers as each check says, so that the whole path is real: the vendor's SDK, HTTP, the events of the stream.
 *
 * @example
 * const checks = modelConformance({ server: () => startMyServer(), provider: (server) => myProvider({ baseUrl: server.baseUrl }) });
 * for (const { name, run } of checks) test(name, run);
 */
import type { Json, JsonObject } from '../shared/json/json';
import type { ModelMessage, ModelResponse, StopReason } from '../model/provider';
import { failureChecks } from './model-failures';
import { ConformanceStage, USER, type ConformanceCheck, type ConformanceSubject } from './model-stage';

export type { ConformanceCheck, ConformanceSubject, WireAnswer, WireFault, WireServer } from './model-stage';

export function modelConformance(subject: ConformanceSubject): ConformanceCheck[] {
  const check = (name: string, run: (stage: ConformanceStage) => Promise<void>): ConformanceCheck => ({
    name,
    run: async () => {
      const server = await subject.server();
      try {
        await run(new ConformanceStage(subject, server));
      } finally {
        await server.close();
      }
    },
  });
  const left = new Set(subject.without ?? []);
  return [
    check('text arrives in pieces, in order, and is in the answer', async (stage) => {
      const answer = await stage.ask({ text: 'Two invoices are due: INV-7 and INV-9. €' });
      same(textIn(answer), 'Two invoices are due: INV-7 and INV-9. €', 'the text of the answer');
      same(answer.streamed, textIn(answer), 'the text that was streamed');
      same(answer.stopReason, 'end_turn', 'the stop reason');
    }),
    check('several calls of one answer keep their order, ids, names and inputs', async (stage) => {
      const answer = await stage.ask({
        text: 'I pay both.',
        calls: [
          { id: 'call_1', name: 'pay_invoice', json: '{"invoice":"INV-7","cents":1200}' },
          { id: 'call_2', name: 'pay_invoice', json: '{"invoice":"INV-9","cents":3}' },
        ],
      });
      same(answer.stopReason, 'tool_use', 'the stop reason');
      const calls = [
        { id: 'call_1', name: 'pay_invoice', input: { invoice: 'INV-7', cents: 1200 }, json: '{"invoice":"INV-7","cents":1200}' },
        { id: 'call_2', name: 'pay_invoice', input: { invoice: 'INV-9', cents: 3 }, json: '{"invoice":"INV-9","cents":3}' },
      ];
      const known = ({ id, ...call }: (typeof calls)[number]) => (left.has('call_ids') ? call : { id, ...call });
      same((callsIn(answer) as typeof calls).map(known), calls.map(known), 'the calls');
    }),
    ...(left.has('call_text')
      ? []
      : [
          check(
            'the text of an input stays as the model wrote it: a key that is there twice, and JSON that was cut off',
            async (stage) => {
              const twice = '{"invoice":"INV-7","cents":1,"cents":900000}';
              same(
                jsonIn(await stage.ask({ calls: [{ id: 'call_1', name: 'pay_invoice', json: twice }] })),
                [twice],
                'the input with a key twice',
              );
              const half = '{"invoice":"INV-';
              const cut = await stage.ask({ calls: [{ id: 'call_2', name: 'pay_invoice', json: half }], stop: 'max_tokens' });
              same(cut.stopReason, 'max_tokens', 'the stop reason of the answer that was cut off');
              same(jsonIn(cut), [half], 'the input that was cut off');
              same(callsIn(cut)[0]?.input, {}, 'its parsed input');
            },
          ),
        ]),
    check('each stop reason is known', async (stage) => {
      const reasons: StopReason[] = [
        'end_turn',
        'max_tokens',
        ...(left.has('refusal') ? [] : (['refusal'] as const)),
        ...(left.has('stop_sequence') ? [] : (['stop_sequence'] as const)),
      ];
      for (const stop of reasons) same((await stage.ask({ text: 'So far.', stop })).stopReason, stop, `the stop reason ${stop}`);
    }),
    check('tokens are counted, those of the cache apart', async (stage) => {
      const cacheRead = left.has('cache') ? 0 : 400;
      const { usage } = await stage.ask({ text: 'Yes.', usage: { input: 500, output: 7, cacheRead } });
      same(
        [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens],
        [500 - cacheRead, 7, cacheRead],
        'input, output and cached tokens',
      );
    }),
    ...(left.has('thinking')
      ? []
      : [check('a thought is kept, and goes back as the vendor wants it', (stage) => checkThinking(stage, subject))]),
    check('results of calls, also failed ones, and ids of any length reach the model', reachesModel),
    ...(left.has('files')
      ? []
      : [
          check(
            'images, PDFs and texts of a message and of a result reach the model, or a text says that one was left out',
            filesReachModel,
          ),
        ]),
    check("another vendor's answer, with thoughts and tools of its own, is sent as text and calls", sendsForeignAnswers),
    check('the same request has the same body, byte for byte', async (stage) => {
      await stage.ask({ text: 'Yes.' });
      await stage.ask({ text: 'Yes.' });
      const [first, second] = stage.server.requests.map((body) => JSON.stringify(body));
      same(second, first, 'the second body');
    }),
    ...failureChecks(check, { namesAddress: !left.has('address') }),
  ];
}

async function checkThinking(stage: ConformanceStage, { hasThought }: ConformanceSubject): Promise<void> {
  const answer = await stage.ask({
    thinking: 'INV-7 is due.',
    calls: [{ id: 'call_1', name: 'pay_invoice', json: '{"invoice":"INV-7","cents":1}' }],
  });
  const thoughts = answer.content.filter(({ type }) => type === 'thinking').map(({ thinking }) => thinking);
  same(thoughts, ['INV-7 is due.'], 'the thoughts in the answer');
  await stage.ask({ text: 'Done.' }, { messages: [USER, answerMessage(stage, answer), resultOf('call_1', 'paid')] });
  if (hasThought !== undefined) same(hasThought(stage.lastRequest()), true, 'whether the next request has the thought');
}

async function reachesModel(stage: ConformanceStage): Promise<void> {
  const long = `toolu_${'x'.repeat(58)}`;
  const call = (id: string) => ({ type: 'tool_use', id, name: 'pay_invoice', input: { invoice: 'INV-7', cents: 1 } });
  const content: JsonObject[] = [
    { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'paid INV-7' }] },
    { type: 'tool_result', tool_use_id: long, is_error: true, content: [{ type: 'text', text: 'the bank is closed' }] },
  ];
  const messages: ModelMessage[] = [
    USER,
    { role: 'assistant', content: [call('call_1'), call(long)] },
    { role: 'user', content },
  ];
  await stage.ask({ text: 'One is paid.' }, { messages });
  const body = JSON.stringify(stage.lastRequest());
  for (const text of ['paid INV-7', 'the bank is closed', 'pay_invoice', 'You pay invoices.'])
    same(body.includes(text), true, `whether the request has ${JSON.stringify(text)}`);
}

/** Whole files, in base64: a PNG of one pixel, and a PDF that a reader would find empty. */
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\ntrailer\n<< /Root << >> >>\n%%EOF\n').toString('base64');

async function filesReachModel(stage: ConformanceStage): Promise<void> {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } };
  const pdf = { type: 'document', title: 'invoice.pdf', source: { type: 'base64', media_type: 'application/pdf', data: PDF } };
  const note = {
    type: 'document',
    title: 'note.txt',
    source: { type: 'text', media_type: 'text/plain', data: 'Pay by Friday.' },
  };
  const call = { type: 'tool_use', id: 'call_1', name: 'pay_invoice', input: { invoice: 'INV-7', cents: 1 } };
  for (const [kind, file] of Object.entries({ image, PDF: pdf, text: note })) {
    const looked: ModelMessage[] = [
      USER,
      { role: 'assistant', content: [call] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'paid' }, file] }],
      },
    ];
    const sent: ModelMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Pay this.' }, file] }];
    for (const [where, messages] of Object.entries({ message: sent, result: looked })) {
      await stage.ask({ text: 'Yes.' }, { messages });
      const texts = stringsIn(stage.lastRequest());
      const isThere = texts.some((text) =>
        file === note ? text.includes('Pay by Friday.') : text.endsWith(String(file.source.data)) || text.includes('left out'),
      );
      same(isThere, true, `whether the request has the ${kind} of a ${where}, as a file`);
    }
  }
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((one) => stringsIn(one as Json)) : [];
}

async function sendsForeignAnswers(stage: ConformanceStage): Promise<void> {
  const answer: ModelMessage = {
    role: 'assistant',
    origin: { provider: 'another-vendor', raw: { secret_form: 'of-another-vendor' } },
    content: [
      { type: 'thinking', thinking: 'A foreign thought.', signature: 'foreign-signature' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'foreign search' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'text', text: 'I pay INV-7.' },
      { type: 'tool_use', id: 'call_1', name: 'pay_invoice', input: { invoice: 'INV-7', cents: 1 } },
    ],
  };
  await stage.ask({ text: 'Done.' }, { messages: [USER, answer, resultOf('call_1', 'paid')] });
  const body = JSON.stringify(stage.lastRequest());
  for (const text of ['foreign-signature', 'of-another-vendor', 'A foreign thought.', 'foreign search'])
    same(body.includes(text), false, `whether the request has ${JSON.stringify(text)} of another vendor`);
  same(body.includes('I pay INV-7.'), true, "whether the request has the other vendor's text");
}

function answerMessage(stage: ConformanceStage, { content, raw }: ModelResponse): ModelMessage {
  return { role: 'assistant', content, origin: { provider: stage.providerName(), ...(raw === undefined ? {} : { raw }) } };
}

function resultOf(id: string, text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }] };
}

function textIn({ content }: ModelResponse): string {
  return content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('');
}

function callsIn({ content, rawToolInputs }: ModelResponse): { id: Json; name: Json; input: Json; json: string | undefined }[] {
  return content.flatMap(({ type, id = null, name = null, input = null }, position) =>
    type === 'tool_use' ? [{ id, name, input, json: rawToolInputs.find(({ block }) => block === position)?.json }] : [],
  );
}

function jsonIn(response: ModelResponse): (string | undefined)[] {
  return callsIn(response).map(({ json }) => json);
}

/** @throws Error that says what differs */
export function same(actual: unknown, target: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(target)];
  if (a !== b) throw new Error(`The provider does not conform: ${what} should be ${b}, and is ${a}.`);
}
