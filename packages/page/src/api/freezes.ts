/** What is frozen by the stop switch. */
import type { FreezeView } from '../../../../src/shapes/records';
import { get, remove } from './http';

export type { FreezeView };

export const listFreezes = (signal: AbortSignal): Promise<{ freezes: FreezeView[] }> => get('v1/freezes', { signal });
export const unfreeze = (id: string): Promise<unknown> => remove(`v1/freezes/${encodeURIComponent(id)}`);
