/** Reads a proposal from rules and approvals, as files or as texts, and from limits as JSON. */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { approvalFaults, type Approvals } from '../../rules';
import { parsePermissions, readPermissions } from '../../rules/read-permissions';
import { isJsonObject, type Json } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { ProposalError, type Proposal, type ProposedLimits } from './types';
import { errorMessage } from '../../shared/text/error-message';
import { optional } from '../../shared/json/optional';
import { depthFault } from '../../rules/yaml-depth';

export interface ProposalText {
  agent?: string;
  /** A file of rules, as `readPermissions` takes it. */
  rules?: string;
  /** YAML or JSON file of what `defineAgent` takes as `approvals`. */
  approvals?: string;
  /** JSON: `{steps, tokens, cost_usd}`, any of them. */
  limits?: string;
}

/** @throws Error that says what is wrong, and where */
export function readProposal({ agent, rules, approvals, limits }: ProposalText): Proposal {
  return proposalFrom({
    ...optional({ agent, limits }),
    ...(rules === undefined ? {} : { rules: readPermissions(rules) }),
    ...(approvals === undefined ? {} : { approvals: parseApprovals(readApprovals(approvals), approvals) }),
  });
}

/** The same, of texts instead of files. @throws Error that says what is wrong, and where */
export function parseProposal({ agent, rules, approvals, limits }: ProposalText): Proposal {
  return proposalFrom({
    ...optional({ agent, limits }),
    ...(rules === undefined ? {} : { rules: parsePermissions(rules, 'rules') }),
    ...(approvals === undefined ? {} : { approvals: parseApprovals(approvals, 'approvals') }),
  });
}

interface ProposalParts {
  agent?: string;
  rules?: NonNullable<Proposal['permissions']>;
  approvals?: Approvals;
  limits?: string;
}

function proposalFrom({ agent, rules, approvals, limits }: ProposalParts): Proposal {
  if (rules === undefined && approvals === undefined && limits === undefined)
    throw new ProposalError('There is nothing to compare with: give --rules, --approvals or --limits.');
  return optional({
    ...{ agent, permissions: rules, approvals },
    limits: limits === undefined ? undefined : readLimits(limits),
  });
}

function readApprovals(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ProposalError(`${path} holds no approver policy: ${errorMessage(error)}`);
  }
}

function parseApprovals(content: string, name: string): Approvals {
  const fault = (text: string) => new ProposalError(`${name} holds no approver policy: ${text}`);
  const deep = depthFault(content);
  if (deep !== null) throw fault(deep);
  const document = parseDocument(content, { schema: 'core' });
  if (document.errors.length > 0) throw fault(document.errors[0]!.message.split('\n')[0]!);
  const value = document.toJS({ maxAliasCount: 0 }) as Json;
  const tools = isJsonObject(value) ? (value.tools ?? {}) : {};
  if (!isJsonObject(value) || !isJsonObject(tools) || !Object.values(tools).every(isRule))
    throw fault(
      'it must be a mapping with channel, quorum, roles, fourEyes, and tools with the same, or a list of entries, for single tools',
    );
  const approvals = value as unknown as Approvals;
  const faults = approvalFaults(
    approvals,
    Object.keys(tools).map((name) => ({ name })),
  );
  if (faults.length > 0) throw fault(faults.join('; '));
  return approvals;
}

function isRule(value: Json): boolean {
  return isJsonObject(value) || (Array.isArray(value) && value.every(isJsonObject));
}

const LIMITS = { steps: 'steps', tokens: 'tokens', cost_usd: 'costUsd' } as const;

function readLimits(json: string): ProposedLimits {
  const shape = new ProposalError(
    '--limits must be JSON such as {"steps": 10, "tokens": 200000, "cost_usd": 1}, with at least one of them, above 0. Working time is not recorded step by step: time_ms cannot be compared.',
  );
  let limits: Json;
  try {
    limits = parseJson(json);
  } catch {
    throw shape;
  }
  if (!isJsonObject(limits) || Object.keys(limits).length === 0) throw shape;
  const read = Object.entries(limits).map(([name, limit]) => {
    if (!Object.hasOwn(LIMITS, name) || typeof limit !== 'number' || !(limit > 0)) throw shape;
    return [LIMITS[name as keyof typeof LIMITS], limit];
  });
  return Object.fromEntries(read) as ProposedLimits;
}
