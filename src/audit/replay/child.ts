/**
 * The process that replays: it reads histories from standard input and writes results to standard output. It has no tool, no model,
 * no store and no server, because nothing that it imports has; `holdfast audit replay` starts it without network and without
 * the settings of this machine. Usage: `node child.js BUNDLE`.
 */
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { historyFromJSON } from '../../temporal/history/history-json';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker, type InjectedSinks } from '@temporalio/worker';
import { dataConverter } from '../../temporal/data-converter';
import { ReplayedCommands, REPLAY_NAME } from './replayed-commands';
import { compare, type ReplayComparison } from './compare';
import { oneLine } from './one-line';
import type { ChildReady, ReplayResult, ReplayRequest } from './protocol';
import { readHistory, type History } from './recorded-commands';
import { RECORDS, type ReplaySinks } from './recording';
import { msOf } from './values';
import { errorMessage } from '../../shared/text/error-message';

interface Read {
  request: ReplayRequest;
  message: temporal.api.history.v1.IHistory;
  history: History;
}

async function main(bundle: string): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
    shutdownSignals: [],
  });
  const code = await readFile(bundle, 'utf8');
  const records = code.includes(RECORDS);
  let replayedCommands = new ReplayedCommands({ runTimeout: 0 });
  const sinks: InjectedSinks<ReplaySinks & { holdfastTrace: { ended(): void } }> = {
    holdfastReplay: { asked: { fn: (_info, activation) => replayedCommands.add(activation), callDuringReplay: true } },
    // The workflows report spans, which nobody wants of a replay.
    holdfastTrace: { ended: { fn: () => undefined } },
  };
  const options = { workflowBundle: { code }, dataConverter, replayName: REPLAY_NAME, sinks };
  let present: Read | null = null;
  tell({ ready: true, network: hasNetwork(), records });

  async function* histories() {
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      const request = JSON.parse(line) as ReplayRequest;
      try {
        present = read(request);
      } catch (error) {
        tell(cannot(request, `The history cannot be read: ${oneLine(errorMessage(error), 300)}`));
        continue;
      }
      replayedCommands = new ReplayedCommands({ runTimeout: msOf(present.history.startAttributes.workflowRunTimeout) });
      yield { workflowId: request.workflow_id, history: present.message };
    }
  }

  for await (const { error } of Worker.runReplayHistories(options, histories())) {
    const { request, history } = present!;
    const failure = error ? withoutPreamble(error.message) : null;
    const { differences, harmless } = records
      ? compare(history, { commands: replayedCommands.effectiveCommands, failure }, request.run_id ?? undefined)
      : onlyTemporals(failure);
    tell({
      ...about(request, history),
      outcome: error || differences.length > 0 ? 'differs' : 'same',
      why: null,
      temporal: !error,
      differences,
      harmless,
    });
  }
}

/** @throws Error if the request holds no history */
function read(request: ReplayRequest): Read {
  const message = request.history
    ? temporal.api.history.v1.History.decode(Buffer.from(request.history, 'base64'))
    : historyFromJSON({ events: request.events ?? [] });
  return { request, message, history: readHistory(message.events ?? []) };
}

function about(request: ReplayRequest, history: History | null) {
  const run_id = request.run_id ?? history?.startAttributes.originalExecutionRunId ?? '';
  const workflow_type = history?.startAttributes.workflowType?.name ?? '';
  return { workflow_id: request.workflow_id, run_id, workflow_type, events: history?.events ?? 0 };
}

function cannot(request: ReplayRequest, why: string): ReplayResult {
  return { ...about(request, null), outcome: 'cannot', why, temporal: null, differences: [], harmless: {} };
}

/** For code that does not record: Temporal's own check alone. */
function onlyTemporals(failure: string | null): ReplayComparison {
  const differences = failure === null ? [] : [{ event: null, what: 'failed' as const, sentence: oneLine(failure, 400) }];
  return { differences, harmless: {} };
}

/** The failure without the text that the SDK adds: the message of an error that the code threw, or Temporal's own. */
function withoutPreamble(message: string): string {
  const [, errorText] = /Failure \{ message: "((?:[^"\\]|\\.)*)"/.exec(message) ?? [];
  return errorText ?? message.replace(/^Replay failed .*?Details: /s, '');
}

function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
}

function tell(line: ChildReady | ReplayResult): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

main(process.argv[2] ?? '').catch((error: Error) => {
  // A replay that is still running would keep this process alive, and the parent waiting.
  process.stderr.write(`${oneLine(error.message, 400)}\n`, () => process.exit(1));
});
