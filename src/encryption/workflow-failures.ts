/**
 * Failures of workflow code. Where payloads are encrypted, message and stack trace become a payload too; elsewhere they stay as they
 * are. Both are read either way.
 */
import { DefaultFailureConverter } from '@temporalio/common';

/** Set in front of the bundle's code (worker/workflow-bundle.ts). */
const { holdfastEncryption = false } = globalThis as { holdfastEncryption?: boolean };

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: holdfastEncryption });
