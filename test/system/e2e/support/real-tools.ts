/** An agent's own tools for the loop: admitted by its rules and run, without Temporal. */
import { randomBytes } from 'node:crypto';
import { defineApp } from '../../../../src/agents/define';
import type { CallError } from '../../../../src/shared/wire/errors';
import type { JsonObject } from '../../../../src/shared/json/json';
import { admit } from '../../../../src/tools/admit/admit';
import { withoutBytes, type BinaryFile, type FileResult } from '../../../../src/tools/results/result-files';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { runTool } from '../../../../src/tools/run/run';
import { toolContext } from '../../../support/tool-context';
import { failed, ok, type Fake } from '../../../support/model/loop';
import type { Agent } from '../../../../src/agents/agent';

export interface Made {
  name: string;
  verdict: 'allow' | 'ask' | 'reject';
  succeeded: boolean;
}

/**
 * @param decide what a person says of a call that asks: null, or why not
 * @returns the tools as a request has them, fakes that are none, and what was called
 */
export function realTools(agent: Agent, decide: (name: string, input: JsonObject) => string | null) {
  const prepared = new Registry(defineApp({ agents: [agent] })).agent(agent.name)!;
  const made: Made[] = [];
  const files: BinaryFile[] = [];
  let untrusted = false;
  const call = async (name: string, json: JsonObject) => {
    const options = { turn: { untrusted, requester: 'test', agent: agent.name, step: 1 }, log: toolContext().log };
    const admission = await admit(prepared, { name, json: JSON.stringify(json), cut: false }, options);
    const record = { name, verdict: admission.error ? 'reject' : (admission.verdict as 'allow' | 'ask'), succeeded: false };
    made.push(record as Made);
    if (admission.error) return told(admission.error);
    const denied = record.verdict === 'ask' ? decide(name, admission.input) : null;
    if (denied !== null) return failed('CONFIRMATION_REQUIRED', 'FATAL_ERROR', 'denied', `denied by ana: ${denied}`);
    const { tool } = prepared.tools.get(name)!;
    const context = toolContext({ idempotencyKey: `hf_${randomBytes(20).toString('hex')}` });
    const keepFile = async (file: BinaryFile) => (files.push(file), kept(file));
    const result = await runTool(tool, admission.input, context, { timeoutMs: 60_000, keepFile });
    untrusted ||= tool.untrustedOutput === true;
    record.succeeded = result.ok;
    return result.ok ? ok(withoutBytes(result.data)) : told(result.error);
  };
  const tools = prepared.catalogue;
  const table: Record<string, Fake> = Object.fromEntries(tools.map(({ name }) => [name, (input) => call(name, input)]));
  return { tools, table, made, files };
}

const told = ({ code, kind, reason, message, hint }: CallError) => failed(code, kind, reason, message, hint ?? '');

function kept({ filename, contentType, bytes }: BinaryFile): FileResult {
  const content_base64 = Buffer.from(bytes).toString('base64');
  return { filename, content_type: contentType, size: bytes.length, sha256: '0'.repeat(64), ref: 'f'.repeat(64), content_base64 };
}
