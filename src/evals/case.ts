/** The cases of a folder: their form, and how they are read. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { depthFault } from '../rules/yaml-depth';
import type { Json, JsonObject } from '../shared/json/json';
import { JsonSyntaxError, parseJson } from '../shared/json/parse-json';
import { errorMessage } from '../shared/text/error-message';
import { ERROR_CODES, type ErrorCode } from '../shared/wire/error-codes';

const json = z.json() as z.ZodType<Json>;
const jsonObject = z.record(z.string(), json) as z.ZodType<JsonObject>;
const name = z.string().min(1);
const names = z.union([name, z.array(name).min(1)]);

const expectedCall = z.strictObject({
  tool: name,
  input: jsonObject.optional(),
  state: name.optional(),
  effect: name.optional(),
  agent: name.optional(),
});
export type ExpectedCall = z.infer<typeof expectedCall>;

const STATES = ['completed', 'refused', 'cancelled', 'failed', 'limit', 'waiting', 'timeout', 'any'] as const;

const pattern = name.refine(isPattern, 'It must be a regular expression.');

const expectations = z.strictObject({
  state: z.enum(STATES).default('completed'),
  calls: z.array(expectedCall).default([]),
  in_order: z.boolean().default(false),
  no_other_calls: z.boolean().default(false),
  not_called: z.array(expectedCall).default([]),
  not_run: z.array(expectedCall).default([]),
  text: z.strictObject({ includes: names.optional(), matches: pattern.optional() }).optional(),
  result: jsonObject.optional(),
});
export type Expectations = z.infer<typeof expectations>;

const recordedResult = z.union(
  [
    z.strictObject({ input: jsonObject.optional(), result: json }),
    z.strictObject({
      input: jsonObject.optional(),
      error: z.strictObject({
        code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
        reason: name.default('recorded'),
        message: z.string(),
        nothing_happened: z.boolean().optional(),
      }),
    }),
  ],
  {
    error: `It must be {input, result}, or {input, error: {code, message}} with a code of ${Object.keys(ERROR_CODES).join(', ')}.`,
  },
);
export type RecordedResult = z.infer<typeof recordedResult>;

const about = { tool: name, note: z.string().optional() };
const decision = z.union(
  [
    z.strictObject({ ...about, approve: names }),
    z.strictObject({ ...about, deny: name }),
    z.strictObject({ ...about, edit: name, input: jsonObject }),
    z.strictObject({ ...about, answer: name, value: json }),
    z.strictObject({ ...about, settle: name, outcome: z.enum(['applied', 'not_applied']) }),
  ],
  { error: 'It must have a tool, and one of: approve; deny; edit and input; answer and value; settle and outcome.' },
);
export type CaseDecision = z.infer<typeof decision>;

const recordedTurn = z.strictObject({ asked: z.string().nullable(), answers: z.array(z.array(jsonObject)) });
/** The model's answers of one recorded turn: the content of each, in order. */
export type RecordedTurn = z.infer<typeof recordedTurn>;

const caseFile = z.strictObject({
  about: z.string().optional(),
  agent: name.optional(),
  message: name,
  files: z.array(name).default([]),
  requester: name.optional(),
  model: name.optional(),
  tools: z.record(z.string(), z.array(recordedResult)).default({}),
  fakes: name.optional(),
  real: z.array(name).optional(),
  decisions: z.array(decision).default([]),
  expect: expectations.prefault({}),
  rubric: z.union([name, z.strictObject({ file: name, at_least: z.number().min(0).max(1) })]).optional(),
  minutes: z.number().positive().max(1440).default(10),
  recording: name.optional(),
});
/** A case as it is written, without the defaults. */
export type CaseFields = z.input<typeof caseFile>;

const recording = z.strictObject({
  tools: z.record(z.string(), z.array(recordedResult)).default({}),
  turns: z.record(z.string(), z.array(recordedTurn)),
});
/** What a captureCase turn has seen, in a file of its own: results by the name of the tool, and turns by the name of the agent. */
export type Recording = z.input<typeof recording>;

export type EvalCase = z.infer<typeof caseFile> & {
  /** By the name of the agent; null: the case has no recorded answers. */
  turns: Record<string, RecordedTurn[]> | null;
  /** Its path below the folder, without the extension; of a folder of its own, the path of that. */
  name: string;
  /** Absolute folder of its file, from which its other files are named. */
  folder: string;
};

/** The name under which the recorded answers are asked for. */
export const RECORDED_MODEL = 'recorded';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
/** A case in a folder of its own, beside its files. */
const WHOLE_FOLDER = 'case';

/** A case, or a folder of cases, that cannot be used. */
export class CaseError extends Error {
  /** A wrong argument, for the exit code of the command line. */
  override readonly name = 'UsageError';
}

/**
 * Reads a case, or all cases of a folder and its folders: `NAME.yaml` or `NAME/case.yaml`. A folder with a case has no other cases.
 * @throws CaseError that lists every fault of every case
 */
export function readCases(path: string): EvalCase[] {
  if (!existsSync(path)) throw new CaseError(`There is no folder of cases ${path}.`);
  const root = statSync(path).isDirectory() ? path : dirname(path);
  const files = root === path ? caseFiles(path) : [path];
  if (files.length === 0) throw new CaseError(`${path} has no cases: NAME.yaml, NAME.json or NAME/case.yaml (docs/evals.md).`);
  const faults: string[] = [];
  const cases = files.flatMap((file) => {
    try {
      return [readCase(file, root)];
    } catch (error) {
      faults.push(errorMessage(error));
      return [];
    }
  });
  const all = cases.map((one) => one.name);
  const twice = all.filter((one, index) => all.indexOf(one) !== index);
  if (twice.length > 0) faults.push(`Two cases have one name: ${twice.join(', ')}.`);
  if (faults.length > 0) throw new CaseError(faults.join('\n'));
  return cases;
}

function caseFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries.filter((entry) => entry.isFile() && EXTENSIONS.has(extname(entry.name)));
  const whole = files.filter((entry) => stem(entry.name) === WHOLE_FOLDER);
  if (whole.length > 0) return whole.map((entry) => join(folder, entry.name));
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules');
  return [...files.map((entry) => join(folder, entry.name)), ...folders.flatMap((entry) => caseFiles(join(folder, entry.name)))];
}

function readCase(file: string, root: string): EvalCase {
  const read = parse(caseFile, yamlOf(file), file);
  const folder = dirname(file);
  const isWhole = stem(file) === WHOLE_FOLDER;
  const named = isWhole && folder !== root ? folder : join(folder, isWhole ? basename(folder) : stem(file));
  const { rubric, files, fakes, recording: recordingFile, model } = read;
  const beside = [fakes, recordingFile, typeof rubric === 'string' ? rubric : rubric?.file].filter((one) => one !== undefined);
  const missing = [...files, ...beside].filter((one) => !existsSync(join(folder, one)));
  if (missing.length > 0) throw new Error(`${file} names files that do not exist: ${missing.join(', ')}.`);
  const recorded = recordingFile === undefined ? null : readRecording(join(folder, recordingFile));
  if (model === RECORDED_MODEL && recorded === null)
    throw new Error(`${file} has the model "${RECORDED_MODEL}", and no recording: name its file, or another model.`);
  const tools = { ...recorded?.tools, ...read.tools };
  return { ...read, tools, turns: recorded?.turns ?? null, name: relative(root, named).split(sep).join('/'), folder };
}

/** JSON is YAML too. */
function yamlOf(file: string): unknown {
  const text = readFileSync(file, 'utf8');
  const deep = depthFault(text);
  if (deep !== null) throw new Error(`${file} holds no case: ${deep}.`);
  const document = parseDocument(text, { schema: 'core', maxAliasCount: 0 } as never);
  const [broken] = document.errors;
  if (broken) throw new Error(`${file} holds no case: line ${broken.linePos?.[0].line ?? '?'}: ${broken.message.split('\n')[0]}`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    throw new Error(`${file} holds no case: ${errorMessage(error)}`, { cause: error });
  }
}

function readRecording(file: string): z.infer<typeof recording> {
  try {
    return parse(recording, parseJson(readFileSync(file, 'utf8')), file);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Error(`${file} is no recording: ${error.message}`, { cause: error });
  }
}

function parse<S extends z.ZodType>(schema: S, value: unknown, file: string): z.infer<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new Error(`${file} holds no case:\n${z.prettifyError(read.error)}`);
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function stem(path: string): string {
  return basename(path, extname(path));
}
