/** The envelope of every tool result (contract.md, "Tool results"). Wire format: snake_case. */
import type { CallError } from './errors';
import type { Json } from './json';

/** Of a tool that is on its way out. */
export interface Deprecation {
  /** First day on which calls are refused, `YYYY-MM-DD`, UTC. */
  sunset_date: string | null;
  replacement: string | null;
  /** Address or text. */
  migration_guide: string | null;
}

/** What an after-hook said of a result: a note that the model reads, or how the hook failed. */
export interface HookNote {
  hook: string;
  note?: string;
  error?: string;
}

/** After-hooks may add fields of their own names. */
export interface EnvelopeMetadata {
  tool_name: string;
  tool_version: string;
  execution_time_ms: number;
  /** ISO 8601. */
  timestamp: string;
  trace_id: string;
  performance: { validation_ms: number; network_ms: number; processing_ms: number };
  /** `ttl_remaining` in seconds; `shared`: the result of an identical call that ran at that moment. */
  cache: { hit: boolean; cached_at?: string; ttl_remaining?: number; shared?: boolean };
  hooks?: HookNote[];
  metacognition?: { checked: boolean; needs_correction: boolean; correction?: string };
  /** The call asked for `debug_info`, and this worker gives none. */
  debug?: 'not_allowed';
  deprecation?: Deprecation;
}

/** For whoever debugs a tool; only where the worker's setting HOLDFAST_DEBUG_INFO allows it. */
export interface DebugInfo {
  cache_hit: boolean;
  /** Attempts after the first one. */
  retry_count: number;
  execution_time_ms: number;
  attempts: number;
  /** The worker process, `pid@host`, as Temporal names it. */
  worker: string;
  /** What the tool said through `ctx.debug`, without secrets. */
  notes: Json[];
}

export type Envelope = (
  | { success: true; status: 'success'; data: Json; metadata: EnvelopeMetadata }
  | { success: false; status: 'error'; error: CallError; metadata: EnvelopeMetadata }
) & { debug_info?: DebugInfo };
