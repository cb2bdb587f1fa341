/** Loads the AG-UI package with the first run. It is optional: only gateways whose front ends speak AG-UI need it. */
import type * as Core from '@ag-ui/core';
import type * as Schemas from '@ag-ui/core/schemas';
import { optionalPackage } from '../../optional-package';

export const sdk = {
  core: () => optionalPackage<typeof Core>('@ag-ui/core', 'AG-UI'),
  schemas: () => optionalPackage<typeof Schemas>('@ag-ui/core', 'AG-UI', 'schemas'),
};

export type { AGUIEvent, Interrupt, Message, ResumeEntry, RunAgentInput } from '@ag-ui/core';
