/**
 * Loads viem for the files of this folder on first use: that takes a quarter of a second, and most programs that import holdfast
 * never need it. viem ships CommonJS, but types for ES modules only, so the imports here tell TypeScript which of the two it gets.
 */
import { createRequire } from 'node:module';
import type * as Viem from 'viem' with { 'resolution-mode': 'import' };
import type * as Accounts from 'viem/accounts' with { 'resolution-mode': 'import' };

const load = createRequire(__filename);

export const viem = (): typeof Viem => load('viem') as typeof Viem;
export const accounts = (): typeof Accounts => load('viem/accounts') as typeof Accounts;

export type { PublicClient, TransactionReceipt } from 'viem' with { 'resolution-mode': 'import' };
