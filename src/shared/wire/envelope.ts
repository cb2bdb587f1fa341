/** The envelope of every tool result. Types alone: workflows load no zod. */
export type { DebugInfo, Deprecation, Envelope, EnvelopeMetadata, HookNote } from '../../shapes/envelope';
