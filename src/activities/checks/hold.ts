/** A check right before an effect, and its answer. */
import type { RunCallInput } from '../../shared/activity-io';
import type { Held } from '../../shared/approval/approval';
import type { CallError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import type { Dependencies } from '../ports';
import type { ApprovalEvidence } from '../../record/parts';
import type { Tool } from '../../tools/define/tool';

/** Asks a person, or refuses the call as not dispatched; null: nothing holds it. */
export type HoldAnswer = Held | { refused: CallError } | null;

/** Looks at one call, and at what was shown to whoever approved it. */
export type Hold = (
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
  shown: ApprovalEvidence,
) => Promise<HoldAnswer>;
