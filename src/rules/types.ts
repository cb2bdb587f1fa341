/** Types of permission rules: their definition, the facts that they read, and their verdict. */
import type { ApprovalPolicy } from '../shared/approval/policy';
import type { JsonObject } from '../shared/json/json';
import type { ToolClass } from '../shared/turn/tool-class';

export const MODES = ['default', 'auto', 'plan', 'locked'] as const;
/**
 * What happens to a call that no rule matches. `default`: its class decides. `auto`: a call that is not harmless goes to the
 * agent's classifier, or to a person if there is none. `plan`: nothing with effects runs, whatever the rules allow. `locked`:
 * only what a rule allows runs.
 */
export type Mode = (typeof MODES)[number];

export const EFFECTS = ['allow', 'ask', 'deny'] as const;
export type RuleEffect = (typeof EFFECTS)[number];

/** `tool_name`, `tool_*` or `*`, each with an optional `(pattern)`; alone, or with a condition and a reason. */
export type RuleEntry =
  | string
  | {
      rule: string;
      /** A CEL expression over `input`, `tool` and `turn`: the rule counts only where it is true. */
      when?: string;
      /** Shown to the person or the model when the rule decides. */
      why?: string;
      /**
       * Only of an allow rule for commands: the files that the command reads, path from the root → SHA-256. The rule counts only
       * while these files are unchanged. `any`: the files may have any content.
       */
      files?: RuleFiles;
    };

export type RuleFiles = 'any' | Record<string, string>;

export interface AgentPermissions {
  mode: Mode;
  /** Calls that run without asking although their class asks. */
  allow: RuleEntry[];
  /** Calls that ask although their class does not. */
  ask: RuleEntry[];
  /** Calls that are refused. Wins over the others. */
  deny: RuleEntry[];
}

/** What rules can read about a tool. */
export interface RuledTool {
  name: string;
  version: string;
  class: ToolClass;
  group?: string;
  egress?: boolean;
  /** How patterns are compared with the call's targets; null: the tool has none. */
  target: TargetKind | null;
  /** JSON Schema of its input, which says which texts are amounts. */
  readonly schema: JsonObject;
}

/**
 * `path`: `/`-separated from the tool's root, matched as a path glob; `text`: a glob over the whole text, `*` matches anything;
 * `command`: a shell command, which an allow rule matches only if it has no shell syntax at all.
 */
export type TargetKind = 'path' | 'text' | 'command';

/** Name of the tool that reads this conversation's own results: mode `locked` lets it run. */
export const READ_RESULT = 'read_result';

/** What rules can read about the turn. */
export interface TurnFacts {
  /** The conversation had read content from outsiders before this step. */
  untrusted: boolean;
  requester: string;
  agent: string;
  step: number;
}

export interface CallFacts {
  tool: RuledTool;
  /** The effective input. */
  input: JsonObject;
  /** What the call acts on, to be compared with patterns; null: there are no targets, or the tool could not name them. */
  targets: readonly string[] | null;
  /** Hashes of a command's files; absent: the record is older than these hashes, or the tool runs no commands. */
  files?: FileHashes;
  turn: TurnFacts;
}

export interface FileHashes {
  /** Null: no such file; undefined: the record does not say. */
  hashOf(path: string): string | null | undefined;
  /** The files that rules have read so far, for the record. */
  readonly looked: Record<string, string | null>;
}

/** One rule whose name fits the call, and whether it applies. */
export interface RuleTrace {
  effect: RuleEffect;
  /** The rule as it was written, with its condition. */
  rule: string;
  matched: boolean;
  /** Why it applies or does not. */
  because: string;
  /** Compared from the left; the larger is the more specific. See `specificity` in rule.ts. */
  specificity: readonly number[];
}

export interface Verdict {
  /** `classify`: the rules leave it open, and mode `auto` asks the classifier, else a person. */
  verdict: 'allow' | 'ask' | 'deny' | 'classify';
  /** In words: the rule, mode or class that decided. */
  reason: string;
  /** The error's reason for a denial. */
  word: 'denied_by_rule' | 'plan_mode' | 'locked_mode' | null;
  /** The rule that decided; null: mode, class or an entry of the approval rules did. */
  rule: string | null;
  /** What an approval of this call requires, by the tool's list of approval rules. Absent: the tool has no list. */
  approval?: ApprovalPolicy;
  considered: RuleTrace[];
}
