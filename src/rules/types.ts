/** What permission rules look like, what they are asked about, and what they answer. */
import type { JsonObject } from '../shared/json/json';
import type { ToolClass } from '../shared/turn/tool-class';

export const MODES = ['default', 'auto', 'plan', 'locked'] as const;
/**
 * What happens to a call that no rule names. `default`: its class decides. `auto`: what is not harmless is put to the
 * agent's classifier, and asks where there is none. `plan`: nothing with effects runs, whatever the rules allow.
 * `locked`: only what a rule allows runs.
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
      /** Shown to the person or the model that meets the rule. */
      why?: string;
      /**
       * Of an allow rule for commands: what the command reads, path from the root → SHA-256, so that the rule counts only while
       * these files are as they were; or `any`: whatever lies there may run.
       */
      files?: RuleFiles;
    };

export type RuleFiles = 'any' | Record<string, string>;

export interface AgentPermissions {
  mode: Mode;
  /** What runs without asking although its class asks. */
  allow: RuleEntry[];
  /** What asks although its class does not. */
  ask: RuleEntry[];
  /** What is refused. Wins over the others. */
  deny: RuleEntry[];
}

/** What rules may know of a tool. */
export interface RuledTool {
  name: string;
  version: string;
  class: ToolClass;
  group?: string;
  egress?: boolean;
  /** How patterns are compared with what a call touches; null: there is nothing to compare. */
  target: TargetKind | null;
  /** JSON Schema of its input, which says which texts are amounts. */
  readonly schema: JsonObject;
}

/**
 * `path`: `/`-separated from the tool's root, matched as a path glob; `text`: a glob over the whole text, `*` takes
 * anything; `command`: a shell command, which an allow rule matches only if it holds no shell syntax at all.
 */
export type TargetKind = 'path' | 'text' | 'command';

/** Reads this conversation's own results: mode `locked` lets it run. */
export const READ_RESULT = 'read_result';

/** What rules may know of the turn. */
export interface TurnFacts {
  /** What outsiders wrote has been read in this conversation, before this step. */
  untrusted: boolean;
  requester: string;
  agent: string;
  step: number;
}

export interface CallFacts {
  tool: RuledTool;
  /** The effective input. */
  input: JsonObject;
  /** What the call touches, to be compared with patterns; null: there is nothing to compare, or the tool could not say. */
  targets: readonly string[] | null;
  /** What a command's files hold; absent: the call was recorded before anybody looked at them, or its tool runs no commands. */
  files?: FileHashes;
  turn: TurnFacts;
}

export interface FileHashes {
  /** Null: no such file; undefined: the record does not say. */
  hashOf(path: string): string | null | undefined;
  /** What has been asked so far, for the record. */
  readonly looked: Record<string, string | null>;
}

/** One rule whose name fits the call, and whether it counts. */
export interface RuleTrace {
  effect: RuleEffect;
  /** The rule as it was written, with its condition. */
  rule: string;
  matched: boolean;
  /** Why it counts or does not. */
  because: string;
  /** Compared from the left; the larger is the more specific. See `specificity` in rule.ts. */
  specificity: readonly number[];
}

export interface Verdict {
  /** `classify`: the rules leave it open, and mode `auto` wants the classifier's word, else a person's. */
  verdict: 'allow' | 'ask' | 'deny' | 'classify';
  /** In words: the rule, mode or class that decided. */
  reason: string;
  /** Of a denial, the error's own word. */
  word: 'denied_by_rule' | 'plan_mode' | 'locked_mode' | null;
  /** The rule that decided; null: mode or class did. */
  rule: string | null;
  considered: RuleTrace[];
}
