/** Reads the calls of a turn from its record: a bundle, as audits read it. */
import { ofKey } from '../attestation/bundle-signer';
import { SigningKey } from '../attestation/signing-key';
import { readCaseFile, type CallCase, type CaseFile } from '../audit/case-file';
import { exportBundle } from '../audit/export/bundle';
import { object, text } from '../record/fields';
import type { Json } from '../shared/json/json';
import type { TestEngine } from '../testing/agent/test-engine';
import type { EvalCall } from './types';

/** The lines of the turn's bundle, signed by a key of this process: the run was an experiment, and nobody vouches for it. */
export async function bundleOf({ client, store }: TestEngine, turnId: string): Promise<string[]> {
  const signer = ofKey((key ??= SigningKey.generate()));
  const lines: string[] = [];
  const subject = { kind: 'turn' as const, id: turnId };
  for await (const line of exportBundle({ temporal: client.temporal, store, subject, signer, chained: false })) lines.push(line);
  return lines;
}

let key: SigningKey | undefined;

/** The calls of the turn, and then those of its sub-agents' turns. */
export async function callsIn(lines: readonly string[]): Promise<EvalCall[]> {
  return recordedCalls(await readCaseFile(lines.map((line) => Buffer.from(line))));
}

export function recordedCalls({ turns }: CaseFile): EvalCall[] {
  return turns.flatMap(({ agent, calls }) => calls.filter(({ takenBack }) => !takenBack).map((call) => evalCall(agent, call)));
}

function evalCall(agent: string, call: CallCase): EvalCall {
  const { id, revision, tool, input, state, effect, error, decisions } = call;
  const approvals = decisions.filter(({ decision }) => decision === 'approve');
  return {
    ...{ id, revision, agent, tool, input, effect },
    state: state ?? 'proposed',
    result: resultOf(call),
    error: error && { code: text(error.code), message: text(error.message) },
    approvedBy: approvals.map(({ by }) => by),
  };
}

/** What the tool returned, without its envelope. */
export function resultOf({ result }: CallCase): Json {
  return object(result?.envelope ?? null).data ?? null;
}
