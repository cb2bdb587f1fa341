/**
 * Writes down the facts that rules read about a call, and reads them back. Admission records them beside the call, so that other
 * rules can be applied to it afterwards, without the tool.
 */
import { getOwn, isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { ToolClass } from '../shared/turn/tool-class';
import type { CallFacts, TargetKind } from './types';

/** Patterns read no more of a text, and treat all longer texts alike. */
const LONGEST_TARGET = 4097;
const MOST_TARGETS = 200;

/**
 * `{egress, group, read_only, target, targets, files, turn}`. `files`: those that rules read, for a tool that runs commands.
 * `targets`: null if the tool has none or could not name them; absent if they are too many to record, or one is not well-formed
 * text.
 */
export function recordedFacts({ tool, targets, files, turn }: CallFacts): JsonObject {
  const { untrusted, requester, agent, step } = turn;
  return {
    egress: tool.egress ?? false,
    group: tool.group ?? null,
    read_only: tool.class === 'read' || tool.class === 'compute',
    target: tool.target,
    ...(isRecordable(targets) ? { targets: targets && targets.map((target) => target.slice(0, LONGEST_TARGET)) } : {}),
    ...(files ? { files: { ...files.looked } } : {}),
    turn: { untrusted, requester, agent, step },
  };
}

function isRecordable(targets: readonly string[] | null): boolean {
  if (targets === null) return true;
  return targets.length <= MOST_TARGETS && targets.every((target) => target.slice(0, LONGEST_TARGET).isWellFormed());
}

/** The call, as an admission's part records it. */
export interface RecordedCall {
  tool: string;
  version: string;
  class: ToolClass;
  input: JsonObject;
}

/** Reads the facts back. Null: they are missing or incomplete. @param schema JSON Schema of the tool's input */
export function readRecordedFacts(call: RecordedCall, facts: Json | undefined, schema: JsonObject): CallFacts | null {
  if (!isJsonObject(facts) || !isJsonObject(facts.turn)) return null;
  const { egress, group, target, targets, files, turn } = facts;
  if (!isTargets(targets) || !(target === null || isKind(target)) || typeof egress !== 'boolean') return null;
  const { untrusted, requester, agent, step } = turn;
  if (typeof untrusted !== 'boolean' || typeof requester !== 'string' || typeof agent !== 'string') return null;
  if (typeof step !== 'number' || !Number.isSafeInteger(step)) return null;
  const { tool: name, version, class: toolClass, input } = call;
  const groupField = typeof group === 'string' ? { group } : {};
  const tool = { name, version, class: toolClass, ...groupField, egress, target, schema };
  const fileFields = isHashes(files) ? { files: { hashOf: (path: string) => getOwn(files, path), looked: files } } : {};
  return { tool, input, targets, ...fileFields, turn: { untrusted, requester, agent, step } };
}

function isHashes(value: Json | undefined): value is Record<string, string | null> {
  return isJsonObject(value) && Object.values(value).every((hash) => hash === null || typeof hash === 'string');
}

function isTargets(value: Json | undefined): value is string[] | null {
  return value === null || (Array.isArray(value) && value.every((target) => typeof target === 'string'));
}

function isKind(value: Json | undefined): value is TargetKind {
  return value === 'path' || value === 'text' || value === 'command';
}
