/** The scripted model behind HTTP, in a process of its own: POST /v1/messages of the Messages API, as a stream. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, type Script, type ScriptedAnswer } from './workload';

const script = JSON.parse(process.argv[2]!) as Script;

const server = createServer((request, response) => {
  void request.toArray().then((chunks) => {
    const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { messages: { role: string }[] };
    const answered = messages.filter(({ role }) => role === 'assistant').length;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${answered}` });
    response.end(eventsOf(answer(script, answered), answered));
  });
});
server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.once('disconnect', () => process.exit(0));

/** Puts the text into one delta, and the input of each tool call into another. */
function eventsOf({ text, toolUses }: ScriptedAnswer, answered: number): string {
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = { id: `msg_${answered + 1}`, type: 'message', role: 'assistant', model: 'bench', content: [], usage };
  const blocks = [
    { block: { type: 'text', text: '' }, delta: { type: 'text_delta', text } },
    ...toolUses.map(({ id, name, input }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    })),
  ];
  const events = [
    { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
    ...blocks.flatMap(({ block, delta }, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: toolUses.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
