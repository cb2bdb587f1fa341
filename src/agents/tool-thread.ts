/** Runs in a thread: loads the app's module once, and runs one of its tools on request (tools/isolation/tool-threads.ts). */
import { readFile } from 'node:fs/promises';
import type { MessagePort } from 'node:worker_threads';
import { BEGUN_TOO_LATE, exceptionText } from '../shared/wire/errors';
import { extractFiles } from '../tools/results/result-files';
import { Deadline } from '../tools/run/deadline';
import { isToolError, ToolError } from '../tools/define/errors';
import type { WireResult, RunFacts, ToThread, ToolSelection } from '../tools/isolation/protocol';
import { ThreadContext } from '../tools/isolation/thread-context';
import { abortAt, errorOf, logFault, invoke } from '../tools/run/run';
import type { App } from './define';
import { loadApp } from './load-app';
import type { Tool } from '../tools/define/tool';
import { sha256Hex } from '../shared/json/sha256';

/** Null: the worker withdrew the request. */
export async function runTool(selection: ToolSelection, _tell: unknown, port: MessagePort): Promise<WireResult | null> {
  const context = new ThreadContext(port, selection.unheard);
  const abort = new AbortController();
  const begins = new Promise<RunFacts | null>((resolve) => {
    port.on('message', (message: ToThread) => {
      if (message.say === 'go') resolve(message.facts);
      else if (message.say === 'drop') resolve(null);
      else if (message.say === 'abort') abort.abort(Object.assign(new Error(message.message), { name: message.name }));
      else context.receiveAnswer(message.to, message.answer);
    });
  });
  const tool = selectPart(await toolOf(selection), selection);
  context.ready();
  const facts = await begins;
  return facts && run(tool, facts, context, abort);
}

function selectPart(tool: Tool, { app, part }: ToolSelection): Tool {
  const run = tool[part];
  if (run) return { ...tool, run };
  throw notLoaded(`${tool.name} of ${app} has no ${part}.`, 'Start the worker again.');
}

async function run(tool: Tool, facts: RunFacts, context: ThreadContext, abort: AbortController): Promise<WireResult> {
  const deadline = Deadline.fromTransfer(facts.deadline);
  if (deadline.hasPassed)
    throw new ToolError('TIMEOUT', BEGUN_TOO_LATE, `${tool.name} was not run: its time limit had already passed.`, {
      nothingHappened: true,
    });
  const timeout = abortAt(abort, deadline, facts.timeoutMs);
  const ctx = context.make(facts, abort.signal);
  try {
    return extractFiles(await invoke(tool, facts.input, ctx));
  } catch (error) {
    if (isToolError(error)) throw error;
    if (!abort.signal.aborted) logFault(tool, error, ctx.log);
    const { code, reason, message } = errorOf(tool, error); // the error itself may not be copyable
    throw new ToolError(code, reason, message);
  } finally {
    timeout.clear();
    context.end();
  }
}

const apps = new Map<string, Promise<App>>();

/** @throws ToolError if this thread cannot load the tool: nothing has run */
async function toolOf({ app: file, sha256, agent: name, tool, version }: ToolSelection): Promise<Tool> {
  const key = `${sha256} ${file}`;
  const loading = apps.get(key) ?? load(file, sha256);
  apps.set(key, loading);
  loading.catch(() => apps.delete(key)); // the next call tries again
  const app = await loading;
  const agent = app.agents.find((one) => one.name === name);
  const match = [...(agent?.tools ?? []), ...app.tools].find((one) => one.name === tool && one.version === version);
  if (match) return match;
  throw notLoaded(
    `${file} has no tool ${tool}@${version} of an agent ${name}.`,
    'appModule has to name the module whose default export is the app that the worker serves.',
  );
}

async function load(file: string, sha256: string): Promise<App> {
  try {
    const now = sha256Hex(await readFile(file));
    if (now !== sha256) throw new Error(`${file} has changed since the worker began to serve it.`);
    return await loadApp(file);
  } catch (error) {
    throw notLoaded(exceptionText(error), 'Start the worker again.');
  }
}

function notLoaded(message: string, hint: string): ToolError {
  return new ToolError('EXECUTION_ERROR', 'app_not_loaded', message, { hint, nothingHappened: true });
}
