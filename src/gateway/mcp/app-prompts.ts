/** Prompts of the app, and values for the arguments of prompts and of resource templates. */
import type { McpCompletion, McpPrompt } from '../../agents/mcp';
import { getOwn } from '../../shared/json/json';
import { variablesOf } from '../../shared/text/uri-template';
import { invalidParams, pageOf, quoted, type AppAnswers } from './app-answers';
import { sdk, type CompleteRequest, type CompleteResult, type GetPromptResult, type ListPromptsResult, type Server } from './sdk';

/** Characters of one argument. */
const MOST_ARGUMENT = 10_000;
/** Values that the protocol lets one answer have. */
const MOST_VALUES = 100;

/** Answers for prompts; the server has the capability already. */
export function offerPrompts(server: Server, app: AppAnswers): void {
  const { GetPromptRequestSchema, ListPromptsRequestSchema } = sdk.types();
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => listed(app, params?.cursor));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => got(app, params.name, params.arguments ?? {}));
}

export function offerCompletion(server: Server, app: AppAnswers): void {
  server.setRequestHandler(sdk.types().CompleteRequestSchema, ({ params }) => completed(app, params));
}

function listed(app: AppAnswers, cursor: string | undefined): ListPromptsResult {
  const { page, ...next } = pageOf(app.visible(app.mcp.prompts), cursor);
  const prompts = page.map(({ name, title, description, arguments: known = {} }) => ({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    arguments: Object.entries(known).map(([argument, { description: about, required = false }]) => ({
      name: argument,
      ...(about === undefined ? {} : { description: about }),
      required,
    })),
  }));
  return { prompts, ...next };
}

async function got(app: AppAnswers, name: string, given: Record<string, string>): Promise<GetPromptResult> {
  const prompt = promptNamed(app, name);
  const known = prompt.arguments ?? {};
  checkArguments(given, Object.keys(known));
  const missing = Object.keys(known).filter((argument) => known[argument]!.required === true && !Object.hasOwn(given, argument));
  if (missing.length > 0) throw invalidParams(`The prompt ${name} needs ${missing.join(', ')}.`);
  return app.ask(
    'prompt',
    (asker) => prompt.messages({ ...given }, asker),
    (answer) => {
      const messages = typeof answer === 'string' ? [{ role: 'user', content: { type: 'text', text: answer } }] : answer;
      return sdk.types().GetPromptResultSchema.parse({ description: prompt.description, messages });
    },
  );
}

async function completed(app: AppAnswers, { ref, argument, context }: CompleteRequest['params']): Promise<CompleteResult> {
  const completions = ref.type === 'ref/prompt' ? ofPrompt(promptNamed(app, ref.name)) : ofTemplate(app, ref.uri);
  const given = context?.arguments ?? {};
  checkArguments({ ...given, [argument.name]: argument.value }, Object.keys(completions));
  const complete = completions[argument.name];
  if (complete === undefined) return { completion: { values: [], total: 0, hasMore: false } };
  return app.ask(
    'completion',
    (asker) => complete(argument.value, { asker, given: { ...given } }),
    (values) => {
      if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
        throw new Error('a completion gives a list of texts');
      const hasMore = values.length > MOST_VALUES;
      return { completion: { values: values.slice(0, MOST_VALUES), total: values.length, hasMore } };
    },
  );
}

type Completions = Record<string, McpCompletion | undefined>;

function ofPrompt({ arguments: known = {} }: McpPrompt): Completions {
  return Object.fromEntries(Object.entries(known).map(([name, { complete }]) => [name, complete]));
}

function ofTemplate(app: AppAnswers, uri: string): Completions {
  const template = app.visible(app.mcp.resourceTemplates).find(({ uriTemplate }) => uriTemplate === uri);
  if (template === undefined) throw invalidParams(`There is no resource template ${quoted(uri)}.`);
  return Object.fromEntries(variablesOf(uri).map((name) => [name, getOwn(template.complete ?? {}, name)]));
}

function promptNamed(app: AppAnswers, name: string): McpPrompt {
  const prompt = app.visible(app.mcp.prompts).find((one) => one.name === name);
  if (prompt === undefined) throw invalidParams(`There is no prompt ${quoted(name)}.`);
  return prompt;
}

function checkArguments(given: Record<string, string>, known: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name))
      throw invalidParams(`There is no argument ${quoted(name)}; there are: ${known.join(', ') || 'none'}.`);
    if (value.length > MOST_ARGUMENT) throw invalidParams(`The argument ${name} has more than ${MOST_ARGUMENT} characters.`);
  }
}
