/** Turns, and what people do with them. */
import type { JsonObject } from '../../../../src/shared/json/json';
import type { DecidedCall, ShownTurn, TurnSummary } from '../../../../src/shapes/turn-view';
import type { UploadedFile } from '../../../../src/shapes/message';
import type { TurnFiles, WhatIfAnswer } from '../../../../src/shapes/records';
import { get, newKey, post, postFile } from './http';

const of = (turn: string) => `v1/turns/${encodeURIComponent(turn)}`;

export const readTurn = (turn: string, signal?: AbortSignal): Promise<ShownTurn> =>
  get<ShownTurn>(of(turn), signal ? { signal } : {});

export interface TurnPage {
  turns: TurnSummary[];
  next_cursor: string | null;
}

export interface TurnFilter {
  state?: string;
  agent?: string;
  cursor?: string;
}

export function listTurns(filter: TurnFilter): Promise<TurnPage> {
  const query = new URLSearchParams({ limit: '50', ...filter });
  return get<TurnPage>(`v1/turns?${query.toString()}`);
}

/** @param files the model reads them after the message */
export async function startTurn(agent: string, text: string, files: readonly File[], key: string): Promise<{ turn_id: string }> {
  const parts: UploadedFile[] = [];
  for (const file of files)
    parts.push(await postFile<UploadedFile>(`v1/files?name=${encodeURIComponent(file.name.slice(0, 300))}`, file));
  const message = parts.length === 0 ? text : [{ type: 'text', text }, ...parts];
  return post('v1/turns', { agent, message }, { key });
}
export const steerTurn = (turn: string, text: string, key: string): Promise<{ by: string }> =>
  post(`${of(turn)}/steer`, { text }, { key });
export const cancelTurn = (turn: string): Promise<unknown> => post(`${of(turn)}/cancel`, {}, { key: newKey() });
export const eventsOf = (turn: string): string => `${of(turn)}/events`;
export const bundleOf = (turn: string): string => `${of(turn)}/bundle`;
export const readFiles = (turn: string): Promise<TurnFiles> => get<TurnFiles>(`${of(turn)}/files`);
export const reportOf = (turn: string): string => `${of(turn)}/report`;

export const askWhatIf = (turn: string, changes: { rules?: string; approvals?: string }): Promise<WhatIfAnswer> =>
  post<WhatIfAnswer>(`${of(turn)}/what-if`, changes);

/** A decision always names the whole digest of the card that the person saw. */
export interface Decision {
  decision: 'approve' | 'deny' | 'settle';
  call: string;
  note?: string;
  input?: JsonObject;
  /** As the deputy of this person. */
  on_behalf_of?: string;
  outcome?: 'applied' | 'not_applied';
}

export interface DecisionReply {
  by: string;
  now: DecidedCall[];
}

export const decide = (turn: string, decision: Decision & { passkey?: object }, key: string): Promise<DecisionReply> =>
  post<DecisionReply>(`${of(turn)}/decisions`, decision, { key });

export interface DecisionChallenge {
  /** Comes back with the decision, unchanged. */
  claims: JsonObject;
  options: PublicKeyCredentialRequestOptionsJSON;
}

export const readChallenge = (turn: string, decision: Decision): Promise<DecisionChallenge> =>
  post<DecisionChallenge>(`${of(turn)}/decisions/challenge`, decision);

export const answerQuestion = (turn: string, answer: { call: string; value: unknown; note?: string }): Promise<unknown> =>
  post(`${of(turn)}/answers`, answer, { key: newKey() });

// The input schema of a tool, for the form that edits an input.

export interface ToolVersion {
  name: string;
  version: string;
  parameters: JsonObject;
}

export const readToolVersions = (tool: string): Promise<{ versions: ToolVersion[] }> => get(`tools/${encodeURIComponent(tool)}`);
