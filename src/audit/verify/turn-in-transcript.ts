/** Compares what a turn's transcript repeats: answers, the calls that they ask for, and the agent of the start (D1 and D2). */
import { isJsonObject, type Json, type JsonObject, cutJson } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { tenantOf } from '../../shared/ids';
import { list, object, text } from '../../record/fields';
import type { BlockBody, PartBody } from '../format/lines';
import type { Blocks } from './blocks';
import { Defaults } from './defaults';
import type { History } from './history';
import { TRANSCRIPT, type SourceComparison } from './source-comparison';
import { asAttributes } from './turn-in-history';
import { attempt, hashOf } from './values';

/** Characters of an answer in a step's result. */
const TEXT_LIMIT = 32_000;
/** Limits of the name of an unknown tool: characters, and bytes of its JSON. */
const NAME = { characters: 100, bytes: 250 };
/** Placeholder for a block of an answer that could not be kept. */
const NOT_KEPT = /^\[a block of type [^]* could not be kept\]$/;

/** One content block of an answer; null: its content is unknown. */
type Content = { text: string; length: number } | Use | 'other' | null;

/** A `tool_use`: its name, and hashes. */
interface Use {
  id: string | null;
  name: Json;
  input: string | null;
}

/** A proposed call, as the admission has it. */
interface AdmittedUse {
  id: string | null;
  tool: Json;
  isRejected: boolean;
  /** Hash of the input as the model wrote it; null: unknown. */
  input: string | null;
}

interface Message {
  /** Undefined: it was left out. */
  role: Json | undefined;
  parts: readonly string[];
}

export class TurnInTranscript {
  /** By ref. */
  private readonly contents = new Map<string, Content>();
  private readonly roles = new Map<string, Json>();
  private readonly uses = new Map<string, AdmittedUse>();
  private readonly starts = new Map<string, JsonObject>();
  /** By first part of an admission: whether it is that of a direct call. */
  private readonly headers = new Map<string, boolean>();
  /** Own blocks; null: the block is no message. */
  private readonly messages = new Map<string, Message | null>();

  constructor(
    private readonly all: SourceComparison,
    private readonly history: History,
    private readonly blocks: Blocks,
    private readonly definitions: ReadonlyMap<string, JsonObject>,
  ) {}

  /** D2: before hooks change it, the input of a call is the requested one with defaults added. */
  part({ ref, part }: PartBody): void {
    const body = part?.body ?? null;
    if (!isJsonObject(body)) return;
    this.contents.set(ref, contentOf(body));
    if (body.role !== undefined) this.roles.set(ref, body.role);
    if (typeof body.first_execution_run_id === 'string') this.starts.set(ref, body);
    if (isJsonObject(body.subject)) this.headers.set(ref, body.direct === true);
    const { asked, call_id, tool_use_id, tool, version, verdict, input, changes } = body;
    if (typeof asked !== 'string' || typeof call_id !== 'string') return;
    const request = inputIn(asked);
    const isRejected = verdict === 'rejected';
    this.uses.set(ref, { id: hashOf(tool_use_id ?? null), tool: tool ?? null, isRejected, input: request && hashOf(request) });
    if (request === null || isRejected) return;
    const [first] = list(changes);
    const firstInput = first === undefined ? input : object(first).before;
    if (!isJsonObject(firstInput) || new Defaults(this.defaults(tool, version)).extend(request, firstInput)) return;
    this.all.report('D2', 'A call was admitted with another input than the one that was asked for');
  }

  block({ ref, block }: BlockBody): void {
    if (!this.blocks.own.has(ref)) return;
    const [first = '', ...rest] = block.parts;
    this.messages.set(ref, block.kind === 'message' ? { role: this.roles.get(first), parts: rest } : null);
    if (block.kind === 'start') this.start(this.starts.get(first), block.parent);
    if (block.kind === 'admission') this.admission(ref, block.parent ?? '', { direct: this.headers.get(first), parts: rest });
    if (block.kind === 'admission' || block.kind === 'end') this.all.addFacts('block', ref, { at: block.at }, TRANSCRIPT);
  }

  /** D1: the turn continues the conversation that its argument names; the agent is that of the definition. */
  private start(body: JsonObject | undefined, parent: string | null): void {
    const { beginnings, whole } = this.all;
    if (whole && beginnings.size > 0 && !beginnings.has(parent))
      this.all.report('D1', 'The turn begins after another block of the transcript than its argument says');
    if (body === undefined) return;
    const { agent, requester, session_id, message_hash, policy_ref, definition_ref } = body;
    const { name, prompt_hash, tools } = object(agent);
    const attributes = asAttributes({ agent: name, requester, session_id } as Record<string, Json | undefined>);
    const tenant = typeof requester === 'string' ? tenantOf(requester) : undefined;
    this.all.addFacts('turn', '', { ...attributes, message_hash, tenant }, TRANSCRIPT);
    if (!this.history.wasReset && policy_ref !== null) this.all.addFacts('turn', '', { policy_ref }, TRANSCRIPT);
    const definition = this.definitions.get(text(definition_ref));
    if (definition === undefined || !isJsonObject(agent)) return;
    const offeredTools = list(definition.tools)
      .map(object)
      .filter(({ internal }) => internal !== true);
    const toolNames = offeredTools.map((tool) => `${text(tool.name)}@${text(tool.version)}`);
    const other =
      (name !== undefined && name !== definition.name && 'name') ||
      (prompt_hash !== undefined && prompt_hash !== definition.prompt_hash && 'prompt') ||
      (tools !== undefined && hashOf(tools) !== hashOf(toolNames) && 'list of tools');
    if (other) this.all.report('D1', `The turn began with another ${other} than its agent's definition has`);
  }

  private admission(ref: string, parent: string, { direct, parts }: { direct: boolean | undefined; parts: string[] }): void {
    const before = this.messages.get(parent);
    if (before === undefined || (before && before.role === undefined)) return;
    const isAnswer = before?.role === 'assistant';
    const contents = isAnswer ? before.parts.map((part) => this.contents.get(part) ?? null) : [];
    if (contents.includes(null)) return;
    const texts = contents.filter((one): one is { text: string; length: number } => isText(one));
    this.all.addFacts('step', ref, { text: answerText(texts) }, TRANSCRIPT);
    const uses = contents.filter((one): one is Use => isUse(one));
    if (!isAnswer && direct !== false) return;
    if (uses.length !== parts.length) this.all.report('D2', 'Other calls were admitted than the answer asks for');
    for (const [index, use] of uses.entries()) this.use(use, this.uses.get(parts[index] ?? ''));
  }

  /** D2: the admitted call is the one that the answer asks for. */
  private use({ id, name, input }: Use, admittedUse: AdmittedUse | undefined): void {
    if (admittedUse === undefined) return;
    const isNamed =
      hashOf(name) === hashOf(admittedUse.tool) ||
      (admittedUse.isRejected && typeof name === 'string' && shortName(name) === admittedUse.tool);
    if (id !== admittedUse.id || !isNamed) this.all.report('D2', 'Another call was admitted than the answer asks for');
    if (admittedUse.input !== null && input !== admittedUse.input)
      this.all.report('D2', 'The answer asks for a call with another input than the one that was admitted');
  }

  /** Defaults of a tool of this name and version in the definitions; null: no definition has the tool. */
  private defaults(tool: Json | undefined, version: Json | undefined): Json[] | null {
    const all = [...this.definitions.values()].flatMap(({ tools }) => list(tools!).map(object));
    const matches = all.filter((one) => one.name === tool && one.version === version);
    return matches.length === 0 ? null : matches.flatMap(({ defaults }) => list(defaults));
  }
}

function contentOf({ type, text: content, id, name, input }: JsonObject): Content {
  if (type === 'tool_use') return { id: hashOf(id ?? null), name: name ?? null, input: hashOf(input) };
  if (type !== 'text') return 'other';
  if (typeof content !== 'string' || NOT_KEPT.test(content)) return null;
  return { text: content.slice(0, TEXT_LIMIT), length: content.length };
}

function isText(content: Content): content is { text: string; length: number } {
  return typeof content === 'object' && content !== null && 'text' in content;
}

function isUse(content: Content): content is Use {
  return typeof content === 'object' && content !== null && 'input' in content;
}

/** An answer's text, as the step's result has it. */
function answerText(texts: readonly { text: string; length: number }[]): string {
  const length = texts.reduce((sum, one) => sum + one.length + 1, 0) - 1;
  const text = texts.map((one) => one.text).join('\n');
  if (length <= TEXT_LIMIT) return text;
  return `${text.slice(0, TEXT_LIMIT).toWellFormed()}\n… (cut; ${length} characters in the transcript)`;
}

function shortName(name: string): string {
  return cutJson(name.slice(0, NAME.characters).toWellFormed(), NAME.bytes);
}

/** The input as the model wrote it; `{}`: it was no object; null: it has U+FFFD, so a character of it was lost. */
function inputIn(json: string): JsonObject | null {
  if (json.includes('\ufffd')) return null;
  const input = attempt(() => parseJson(json));
  return isJsonObject(input ?? null) ? (input as JsonObject) : {};
}
