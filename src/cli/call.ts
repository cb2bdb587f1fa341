/** `holdfast call`: runs one tool call without a model, and prints its envelope. */
import { Option, type Command } from 'commander';
import { envelopeOf, type CallHandle, type DirectCall } from '../client/turns/direct-call';
import type { Envelope } from '../shared/wire/errors';
import { isJsonObject, type JsonObject } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { visible } from '../shared/text/visible';
import { describeEvent, oneLine } from './support/describe';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import { readStdin } from './support/read-stdin';
import { untilStopped } from './support/until-stopped';
import { WaitingCallPrompt } from './support/waiting-calls';
import { withClient } from './support/with-client';
import { errorMessage } from '../shared/text/error-message';
import { optional } from '../shared/json/optional';

interface CallOptions {
  agent?: string;
  id?: string;
  by?: string;
  cache: boolean;
  retry: boolean;
  stream: boolean;
  debug?: boolean;
}

export function call(program: Command, output: () => Output): void {
  program
    .command('call')
    .description('One tool call without a model, through the whole pipeline: prints its envelope; exit 3 when it was refused.')
    .argument('<tool>')
    .argument('<json>', 'the input, a JSON object; "-" reads it from standard input')
    .option('--agent <name>', 'whose rules apply; needed when several agents have the tool')
    .option('--id <key>', 'idempotency key: the same key again gives the same call')
    .option('--by <name>', 'who asks; default: local')
    .option('--no-cache', 'neither read nor write a cached result')
    .option('--no-retry', 'one attempt')
    .option('--no-stream', 'no progress')
    .addOption(new Option('--debug', 'debug_info in the envelope, where the worker allows it'))
    .action(async (tool: string, json: string, options: CallOptions) => {
      const request = requestOf(tool, inputOf(json === '-' ? await readStdin() : json), options);
      await withClient(async (client) => finish(await client.call(request), options, output()));
    });
}

function inputOf(text: string): JsonObject {
  try {
    const input = parseJson(text);
    if (isJsonObject(input)) return input;
  } catch (error) {
    throw new UsageError(`<json> is not JSON: ${errorMessage(error)}`);
  }
  throw new UsageError('<json> must be a JSON object, such as {"ticker": "AAPL"}.');
}

function requestOf(tool: string, input: JsonObject, { agent, id, by, cache, retry, stream, debug }: CallOptions): DirectCall {
  return {
    tool,
    input,
    ...optional({ agent, id, requester: by }),
    options: {
      ...(cache ? {} : { enableCache: false }),
      ...(retry ? {} : { enableRetry: false }),
      ...(stream ? {} : { enableStreaming: false }),
      ...(debug ? { debug } : {}),
    },
  };
}

async function finish(call: CallHandle, options: CallOptions, output: Output): Promise<void> {
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  await followCall(call, options, output, stop.signal);
  if (stop.signal.aborted) {
    output.note(`The call continues in the background. Follow it with: holdfast watch ${call.id}`);
    throw new Exit(EXIT.interrupted);
  }
  const view = await call.turn.result();
  const envelope = envelopeOf(view);
  output.answer(envelope, describe(envelope));
  if (view.state === 'refused') throw new Exit(EXIT.refused);
  if (!envelope.success) throw new Exit(EXIT.failed);
}

/** Prints everything on standard error: standard output is for the envelope. */
export async function followCall(
  call: CallHandle,
  { stream }: Pick<CallOptions, 'stream'>,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  output.note(`${call.id}${call.uiUrl ? `  ${call.uiUrl}` : ''}`);
  const over = new AbortController();
  const waiting = new WaitingCallPrompt(call.turn, { output, questions: null, onEnd: () => undefined });
  let asking: Promise<void> | null = null;
  try {
    for await (const event of call.turn.watch({ signal })) {
      const asks = event.type === 'approval_requested' || (event.type === 'tool_error' && event.effect === 'in_doubt');
      const line = stream || asks ? describeEvent(event) : null;
      if (line !== null && event.type !== 'turn_started') output.note(line);
      // Looked up only if a person has to decide: otherwise the call's state is not queried.
      if (asks) asking ??= waiting.until(AbortSignal.any([over.signal, signal]));
      if (asks || event.type === 'approval_decided') waiting.look();
    }
  } finally {
    over.abort();
    await asking;
  }
}

function describe(envelope: Envelope): string[] {
  if (envelope.success) return visible(JSON.stringify(envelope.data, null, 2)).split('\n');
  const { code, reason, message, hint } = envelope.error;
  return [`${code} ${reason}: ${oneLine(message, 2000)}`, ...(hint === undefined ? [] : [oneLine(hint, 2000)])];
}
