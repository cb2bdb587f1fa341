/** The envelope of every tool result (contract.md, "Tool results"). Wire format: snake_case. */
import type { CallError } from './errors';
import type { Json } from './json';

export interface EnvelopeMetadata {
  tool_name: string;
  tool_version: string;
  execution_time_ms: number;
  /** ISO 8601. */
  timestamp: string;
  trace_id: string;
  performance: { validation_ms: number; processing_ms: number };
  cache: { hit: boolean; cached_at?: string; ttl_remaining?: number };
}

export type Envelope =
  | { success: true; status: 'success'; data: Json; metadata: EnvelopeMetadata }
  | { success: false; status: 'error'; error: CallError; metadata: EnvelopeMetadata };
