/** Settings of the packs that ship: where their data come from, and the chain. */
import { join } from 'node:path';
import { ConfigError } from './error';
import type { DATA_SOURCES } from './schemas';
import type { Reader } from './variables';
import { optional } from '../shared/json/optional';

export interface EdgarConfig {
  userAgent: string;
  /** Replaces both hosts of the SEC; absent: the real hosts. */
  url?: string;
}

export interface EvmConfig {
  url: string;
  /** Chain id, as EIP-155 has it. */
  chainId: number;
  router: string;
  /** Private keys by id. */
  sessionKeys: Record<string, string>;
  /** The tokens that the model's tools list. */
  tokens: { symbol: string; address: string }[];
  /** Folder of the swap journal, shared by all workers that use these keys. */
  journal: string;
  confirmations: number;
  /** Wei that the gas of one swap may cost; absent: the pack's default. */
  maxGasCost?: string;
}

export interface DataConfig {
  /** Data source of the finance pack. */
  data: (typeof DATA_SOURCES)[number];
  /** Null: `data` is the snapshot. */
  edgar: EdgarConfig | null;
}

export function dataOf(read: Reader): DataConfig {
  const data = read('HOLDFAST_DATA');
  if (data === 'snapshot') return { data, edgar: null };
  const userAgent = read('HOLDFAST_EDGAR_USER_AGENT');
  if (userAgent === undefined) {
    throw new ConfigError(
      'HOLDFAST_EDGAR_USER_AGENT is not set but the data are "edgar"; the SEC demands a name and an e-mail address, such as "Example Bank data@bank.example".',
    );
  }
  return { data, edgar: { userAgent, ...optional({ url: read('HOLDFAST_EDGAR_URL') }) } };
}

export function evmOf(read: Reader, home: string): EvmConfig | null {
  const url = read('HOLDFAST_EVM_URL');
  const chainId = read('HOLDFAST_EVM_CHAIN_ID');
  const router = read('HOLDFAST_EVM_ROUTER');
  if (url === undefined || chainId === undefined || router === undefined) {
    const settings = Object.entries({ HOLDFAST_EVM_URL: url, HOLDFAST_EVM_CHAIN_ID: chainId, HOLDFAST_EVM_ROUTER: router });
    const there = settings.find(([, value]) => value !== undefined);
    if (!there) return null;
    const [missing] = settings.find(([, value]) => value === undefined)!;
    throw new ConfigError(`${missing} is not set but ${there[0]} is; set URL, CHAIN_ID and ROUTER, or none of them.`);
  }
  return {
    url,
    chainId,
    router,
    sessionKeys: read('HOLDFAST_EVM_SESSION_KEYS') ?? {},
    tokens: read('HOLDFAST_EVM_TOKENS') ?? [],
    journal: read('HOLDFAST_EVM_JOURNAL') ?? join(home, 'evm'),
    confirmations: read('HOLDFAST_EVM_CONFIRMATIONS'),
    ...optional({ maxGasCost: read('HOLDFAST_EVM_MAX_GAS_COST') }),
  };
}
