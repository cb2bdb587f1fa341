/** A bundle of one turn whose calls went through the engine's own admission. It has no history and no signature. */
import { Readable } from 'node:stream';
import { agentDefinition } from '../../../../src/activities/step/agent-definition';
import { admissionBody } from '../../../../src/activities/admission/admit-calls';
import { readCaseFile } from '../../../../src/audit/case-file';
import type { CallCase, CaseFile } from '../../../../src/audit/case-file/types';
import { LineWriter } from '../../../../src/audit/format/writer';
import { hashJson } from '../../../../src/shared/json/digests';
import { asJson, type Json, type JsonObject } from '../../../../src/shared/json/json';
import { sealBlock, sealPart, type SealedBlock } from '../../../../src/store/core/seal';
import { admit } from '../../../../src/tools/admit/admit';
import type { AgentPermissions } from '../../../../src/rules';
import { silent } from '../../../support/silent';
import { prepared, TOOLS } from '../../tools/admit/support';
import type { Tool } from '../../../../src/tools/define/tool';
import type { AgentDefinition } from '../../../../src/agents/agent';

export interface Asked {
  tool: string;
  input?: JsonObject;
  /** Default 1. */
  step?: number;
  untrusted?: boolean;
}

export interface Made {
  permissions?: Partial<AgentPermissions>;
  tools?: Tool[];
  agent?: Partial<AgentDefinition>;
  calls: Asked[];
  /** Changes a part's body before it is sealed: an older build, or a redaction (undefined). */
  part?(body: JsonObject): JsonObject | undefined;
  /** Leaves objects out. */
  objects?: boolean;
}

const at = '2026-01-31T09:59:59.123Z';
const salt = '0'.repeat(32);
const USAGE = { input_tokens: 100, output_tokens: 10, cache_read_tokens: 0, cache_creation_tokens: 0 };

export async function bundleText({
  permissions = {},
  tools = TOOLS,
  agent = {},
  calls,
  part = (body) => body,
  objects = true,
}: Made): Promise<string> {
  const ready = prepared(permissions, tools, agent);
  const definition = agentDefinition(ready, { defaultModel: 'scripted', holdfast: '1.0.0', buildId: null, workflowBundle: null });
  const definition_ref = hashJson(definition);
  const start = {
    turn_id: 't',
    workflow_id: 'turn/t',
    first_execution_run_id: 'r',
    requester: 'rita',
    agent: { name: 'a' },
    policy_ref: ready.policyRef,
    definition_ref,
  };
  const writer = new LineWriter();
  const lines = [
    writer.line('bundle', {
      v: 'holdfast.bundle/1',
      subject: { kind: 'turn', id: 't' },
      namespace: 'default',
      agent: 'a',
      made_at: at,
      made_by: { holdfast: '1.0.0', node: '22' },
    }),
  ];
  const kept: Json[] = objects ? [...ready.policies, definition] : [];
  for (const value of kept) lines.push(writer.line('object', { ref: hashJson(value as never), value }));
  lines.push(writer.line('turn', { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'r', parent: null }));
  let parent: string | null = null;
  const add = (kind: 'start' | 'admission', bodies: JsonObject[]) => {
    const block: SealedBlock = sealBlock(
      { parent, kind, at },
      bodies.map((body) => sealPart(salt, part(body) ?? body)),
    );
    bodies.forEach((body, index) => {
      const { hash, text } = block.parts[index]!;
      lines.push(writer.line('part', { ref: hash, part: part(body) ? (JSON.parse(text) as never) : null }));
    });
    lines.push(writer.line('block', { ref: block.hash, block: block.block }));
    parent = block.hash;
  };
  add('start', [start]);
  for (let step = 1; step <= Math.max(...calls.map((call) => call.step ?? 1)); step++) {
    const asked = calls.filter((call) => (call.step ?? 1) === step);
    const bodies = asked.map(async ({ tool, input = {}, untrusted = false }, index) => {
      const call = { name: tool, json: JSON.stringify(input), cut: false };
      const turn = { untrusted, requester: 'rita', agent: 'a', step };
      const admission = await admit(ready, call, { turn, log: silent });
      return asJson(admissionBody(`${step}.${index + 1}`, { ...call, id: `use_${index}` }, admission)) as JsonObject;
    });
    add('admission', [{ model: 'scripted', usage: USAGE, stop_reason: 'tool_use' }, ...(await Promise.all(bodies))]);
  }
  lines.push(writer.line('turn_end', { turn_id: 't', head: parent, complete: true, why: null }));
  return lines.join('');
}

export async function caseFile(made: Made): Promise<CaseFile> {
  return readCaseFile(Readable.from([Buffer.from(await bundleText(made))]));
}

/** Makes a call one that people were asked about, with these decisions. */
export function answered(call: CallCase, more: Partial<CallCase>): void {
  const question = { askedAt: at, expiresAt: null, card: null, cardRef: null, preview: null, policy: null, held: [], makers: [] };
  Object.assign(call, { question, ...more });
}

export function decision(by: string, more: Partial<CallCase['decisions'][number]> = {}): CallCase['decisions'][number] {
  return {
    decision: 'approve',
    by,
    note: null,
    at,
    channel: 'update',
    identity: null,
    cardRef: null,
    claims: null,
    signature: null,
    ...more,
  };
}
