/**
 * The tools of a case's app: results that were recorded or written beforehand, and functions, in the place of the real ones. A tool
 * that changes something never runs unless the case names it.
 */
import { join } from 'node:path';
import type { App } from '../agents/define';
import { loadModule } from '../agents/load-module';
import { canonical } from '../shared/json/canonical';
import { getOwn, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { checkFakes, type Fake, type FakeParts, withFakes } from '../testing/agent/fakes';
import { ToolError } from '../tools/define/errors';
import type { Tool } from '../tools/define/tool';
import { CaseError, type EvalCase, type RecordedResult } from './case';
import { includes } from './judge';

/** Classes that change nothing. */
const HARMLESS: ReadonlySet<string> = new Set(['compute', 'read']);

export interface CaseTools {
  app: App;
  /** Calls that the case has no answer for, in words. */
  unanswered: string[];
}

/** @throws CaseError for a name that the app does not have, and for a module of fakes that is none */
export async function withToolsOf(one: EvalCase, app: App): Promise<CaseTools> {
  const functions = one.fakes === undefined ? {} : await functionsOf(one, one.fakes);
  const { tools, real } = one;
  try {
    checkFakes(app, [...Object.keys(tools), ...Object.keys(functions), ...(real ?? [])], one.name);
  } catch (error) {
    throw new CaseError((error as Error).message);
  }
  const unanswered: string[] = [];
  const refuse = (reason: string, message: string): never => {
    if (!unanswered.includes(message)) unanswered.push(message);
    throw new ToolError('EXECUTION_ERROR', reason, message, { nothingHappened: true });
  };
  const runOf = ({ name, class: toolClass }: Tool): Fake | undefined => {
    const fake = getOwn(functions, name);
    if (fake !== undefined) return fake;
    const results = getOwn(tools, name);
    if (results !== undefined) return fromRecord(name, results, refuse);
    if (real?.includes(name) ?? HARMLESS.has(toolClass)) return undefined;
    const why = `The case has no result for ${name}${real === undefined ? `, a tool of class ${toolClass},` : ''} and does not name it in "real".`;
    return () => refuse('not_real', why);
  };
  const fakeOf = (tool: Tool): FakeParts | undefined => {
    if (tool.subAgent ?? tool.question ?? tool.wait) return undefined; // the engine answers these, no function
    const run = runOf(tool);
    if (run === undefined) return undefined;
    // Probe and poll would ask the real upstream about a call that it has never got. Without a probe a person settles.
    return { run, reconcile: undefined, poll: undefined };
  };
  return { app: withFakes(app, fakeOf), unanswered };
}

/** Several results for one input come in their order; the last one comes again, since another model may read more often. */
function fromRecord(name: string, results: readonly RecordedResult[], refuse: (reason: string, message: string) => never): Fake {
  const used = new Set<RecordedResult>();
  return (input: JsonObject) => {
    const fitting = results.filter((one) => one.input === undefined || includes(input, one.input));
    const exact = fitting.filter((one) => one.input !== undefined && canonical(one.input) === canonical(input));
    const candidates = exact.length > 0 ? exact : fitting;
    const answer = candidates.find((one) => !used.has(one)) ?? candidates.at(-1);
    if (answer === undefined) return refuse('no_recorded_result', `${name} has no recorded result for ${JSON.stringify(input)}.`);
    used.add(answer);
    if ('result' in answer) return answer.result;
    const { code, reason, message, nothing_happened: nothingHappened } = answer.error;
    throw new ToolError(code, reason, message, optional({ nothingHappened }));
  };
}

async function functionsOf({ folder, name }: EvalCase, file: string): Promise<Record<string, Fake>> {
  const functions = await defaultExport(join(folder, file));
  if (typeof functions === 'object' && functions !== null && Object.values(functions).every((one) => typeof one === 'function'))
    return functions as Record<string, Fake>;
  throw new CaseError(`${name}: the default export of ${file} must be an object of functions, by the names of tools.`);
}

/** Of a user's module; a CommonJS module that was compiled from ESM nests it once more. */
export async function defaultExport(file: string): Promise<unknown> {
  let value = await loadModule(file).catch((error: unknown) => {
    throw new CaseError((error as Error).message);
  });
  while (typeof value === 'object' && value !== null && 'default' in value) value = value.default;
  return value;
}
