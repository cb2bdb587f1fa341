/** Serves the app's prompts to MCP clients, and completes the arguments of prompts and of resource templates. */
import type { McpCompletion, McpPrompt, McpDefinition } from '../../agents/mcp';
import { getOwn } from '../../shared/json/json';
import { variablesOf } from '../../shared/text/uri-template';
import { within } from '../../tools/admit/hooks';
import type { ToolLogger } from '../../tools/define/tool';
import type { McpAsker } from '../../agents/mcp-asks';
import type { Principal } from '../../gateway/auth/principals';
import { sdk, type CompleteRequest, type CompleteResult, type GetPromptResult, type ListPromptsResult, type Server } from './sdk';
import { optional } from '../../shared/json/optional';

/** Limit for one argument, characters. */
const MOST_ARGUMENT = 10_000;
/** The protocol's limit for the values in one answer. */
const MOST_VALUES = 100;

/** Registers the handlers for prompts; the server already has the capability. */
export function offerPrompts(server: Server, app: AppAnswers): void {
  const { GetPromptRequestSchema, ListPromptsRequestSchema } = sdk.types();
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => listPrompts(app, params?.cursor));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => got(app, params.name, params.arguments ?? {}));
}

export function offerCompletion(server: Server, app: AppAnswers): void {
  server.setRequestHandler(sdk.types().CompleteRequestSchema, ({ params }) => completeArgument(app, params));
}

function listPrompts(app: AppAnswers, cursor: string | undefined): ListPromptsResult {
  const { page, ...next } = pageOf(app.visible(app.mcp.prompts), cursor);
  const prompts = page.map(({ name, title, description, arguments: definitions = {} }) => ({
    name,
    ...optional({ title }),
    description,
    arguments: Object.entries(definitions).map(([argument, { description: about, required = false }]) => ({
      name: argument,
      ...optional({ description: about }),
      required,
    })),
  }));
  return { prompts, ...next };
}

async function got(app: AppAnswers, name: string, values: Record<string, string>): Promise<GetPromptResult> {
  const prompt = findPrompt(app, name);
  const definitions = prompt.arguments ?? {};
  checkArguments(values, Object.keys(definitions));
  const missing = Object.keys(definitions).filter(
    (argument) => definitions[argument]!.required === true && !Object.hasOwn(values, argument),
  );
  if (missing.length > 0) throw invalidParams(`The prompt ${name} needs ${missing.join(', ')}.`);
  return app.ask(
    'prompt',
    (asker) => prompt.messages({ ...values }, asker),
    (answer) => {
      const messages = typeof answer === 'string' ? [{ role: 'user', content: { type: 'text', text: answer } }] : answer;
      return sdk.types().GetPromptResultSchema.parse({ description: prompt.description, messages });
    },
  );
}

async function completeArgument(app: AppAnswers, { ref, argument, context }: CompleteRequest['params']): Promise<CompleteResult> {
  const completions = ref.type === 'ref/prompt' ? ofPrompt(findPrompt(app, ref.name)) : ofTemplate(app, ref.uri);
  const contextArguments = context?.arguments ?? {};
  checkArguments({ ...contextArguments, [argument.name]: argument.value }, Object.keys(completions));
  const complete = completions[argument.name];
  if (complete === undefined) return { completion: { values: [], total: 0, hasMore: false } };
  return app.ask(
    'completion',
    (asker) => complete(argument.value, { asker, given: { ...contextArguments } }),
    (values) => {
      if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
        throw new Error('a completion gives a list of texts');
      const hasMore = values.length > MOST_VALUES;
      return { completion: { values: values.slice(0, MOST_VALUES), total: values.length, hasMore } };
    },
  );
}

type Completions = Record<string, McpCompletion | undefined>;

function ofPrompt({ arguments: definitions = {} }: McpPrompt): Completions {
  return Object.fromEntries(Object.entries(definitions).map(([name, { complete }]) => [name, complete]));
}

function ofTemplate(app: AppAnswers, uri: string): Completions {
  const template = app.visible(app.mcp.resourceTemplates).find(({ uriTemplate }) => uriTemplate === uri);
  if (template === undefined) throw invalidParams(`There is no resource template ${quote(uri)}.`);
  return Object.fromEntries(variablesOf(uri).map((name) => [name, getOwn(template.complete ?? {}, name)]));
}

function findPrompt(app: AppAnswers, name: string): McpPrompt {
  const prompt = app.visible(app.mcp.prompts).find((one) => one.name === name);
  if (prompt === undefined) throw invalidParams(`There is no prompt ${quote(name)}.`);
  return prompt;
}

function checkArguments(values: Record<string, string>, names: readonly string[]): void {
  for (const [name, value] of Object.entries(values)) {
    if (!names.includes(name))
      throw invalidParams(`There is no argument ${quote(name)}; there are: ${names.join(', ') || 'none'}.`);
    if (value.length > MOST_ARGUMENT) throw invalidParams(`The argument ${name} has more than ${MOST_ARGUMENT} characters.`);
  }
}

// Calls the app's functions for prompts, resources and completions. They run in this process, each with a time limit. An
// exception, or an answer that cannot be sent, is reported in the log, not to the client.

const ANSWER_WITHIN_MS = 10_000;
/** Limit for one answer, characters of JSON. */
const MOST_ANSWER = 1_000_000;
/** Entries on one page of a list. */
const PAGE = 200;
/** Limit for the requests of one session that wait for the app. */
const MOST_OPEN = 8;

export interface AppParts {
  mcp: McpDefinition;
  /** Read at each use: roles may change. */
  asker(): McpAsker;
  log: ToolLogger;
}

export function askerOf({ name, tenant, roles }: Principal, agent: string | undefined): McpAsker {
  return { principal: name, tenant, roles: [...roles], agent: agent ?? null };
}

interface RestrictedEntry {
  visibleTo?(asker: McpAsker): boolean;
}

export class AppAnswers {
  private open = 0;

  constructor(private readonly parts: AppParts) {}

  get mcp(): McpDefinition {
    return this.parts.mcp;
  }

  /** The entries that the client may see. An entry whose `visibleTo` throws, or returns anything but true, is left out. */
  visible<T extends RestrictedEntry>(entries: readonly T[] = []): T[] {
    const asker = this.parts.asker();
    return entries.filter((entry) => {
      if (entry.visibleTo === undefined) return true;
      try {
        return entry.visibleTo(asker) === true;
      } catch (error) {
        this.parts.log.error({ err: error, todo: MEND }, 'visibleTo threw: what it is about is not offered');
        return false;
      }
    });
  }

  /**
   * Calls a function of the app, and converts its answer.
   * @param read converts the answer; throws an Error that says what is wrong with it
   * @throws McpError
   */
  async ask<A, R>(what: string, work: (asker: McpAsker) => A | Promise<A>, read: (answer: A) => R): Promise<R> {
    const { ErrorCode, McpError } = sdk.types();
    if (this.open >= MOST_OPEN)
      throw new McpError(
        ErrorCode.InternalError,
        `${MOST_OPEN} requests of this session wait for the app; wait for one of them.`,
      );
    this.open += 1;
    const asker = this.parts.asker();
    try {
      const result = read(await within(ANSWER_WITHIN_MS, () => work(asker)));
      const length = JSON.stringify(result).length;
      if (length > MOST_ANSWER) throw new Error(`it has ${length} characters as JSON; at most ${MOST_ANSWER} are sent`);
      return result;
    } catch (error) {
      this.parts.log.error({ err: error, what, todo: MEND }, 'the app could not answer an MCP client');
      throw new McpError(ErrorCode.InternalError, `This ${what} could not be given; the log of the server says why.`);
    } finally {
      this.open -= 1;
    }
  }
}

const MEND = 'Mend the function of defineApp({ mcp }) that the error names.';

/** One page of a list, and the cursor of the next. @throws McpError for a cursor that this server has not given */
export function pageOf<T>(entries: readonly T[], cursor: string | undefined): { page: T[]; nextCursor?: string } {
  if (cursor !== undefined && !/^\d{1,6}$/.test(cursor)) throw invalidParams('The cursor is none that this server gave.');
  const from = Number(cursor ?? 0);
  const page = entries.slice(from, from + PAGE);
  return { page, ...(from + PAGE < entries.length ? { nextCursor: String(from + PAGE) } : {}) };
}

export function invalidParams(message: string): Error {
  const { ErrorCode, McpError } = sdk.types();
  return new McpError(ErrorCode.InvalidParams, message);
}

/** Quotes a client's text, cut for an error. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100).toWellFormed());
}
