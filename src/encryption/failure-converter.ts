/** Failures of activities and of clients: message and stack trace become a payload, which the codec encrypts. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
