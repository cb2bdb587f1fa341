import type { ModelProvider } from '../model/provider';
import type { Store } from '../store/store';
import type { ResultCache } from '../tools/cache';
import type { ToolLogger } from '../tools/define';
import type { Registry } from '../tools/registry';

/** What the worker gives to every activity. */
export interface Dependencies {
  registry: Registry;
  store: Store;
  model: ModelProvider;
  /** Model id for agents that name none. */
  defaultModel: string;
  cache: ResultCache;
  log: ToolLogger;
  /** Models without a price that the log has told of: once is enough. */
  unpriced: Set<string>;
}
