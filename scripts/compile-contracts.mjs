/**
 * `node scripts/compile-contracts.mjs`: compiles the contracts of the onchain pack to packs/onchain/src/contracts/artifacts.ts.
 * That file is committed, so that nobody needs a Solidity compiler to use them. A test compiles again and compares.
 */
import { createRequire } from 'node:module';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formatted } from './lib/formatted.mjs';

const solc = createRequire(import.meta.url)('solc');
const DIR = join(dirname(dirname(fileURLToPath(import.meta.url))), 'packs', 'onchain', 'src', 'contracts');
const ARTIFACTS = join(DIR, 'artifacts.ts');
const WANTED = ['TestToken', 'Pool', 'SessionRouter'];
/** No metadata hash: the bytecode then depends on the code alone, not on comments and paths. */
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
};

/** @returns {Promise<string>} the text of artifacts.ts */
export async function compileContracts() {
  const names = readdirSync(DIR).filter((name) => name.endsWith('.sol'));
  const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(join(DIR, name), 'utf8') }]));
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode.object'] } };
  const input = { language: 'Solidity', sources, settings: { ...SETTINGS, outputSelection } };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  const text = [
    '// Made by scripts/compile-contracts.mjs from the .sol files beside it. Do not edit: run the script again.',
    `export const COMPILER = ${JSON.stringify({ version: solc.version(), settings: SETTINGS })} as const;`,
    ...WANTED.map((name) => artifact(name, contracts[`${name}.sol`][name])),
  ].join('\n\n');
  return formatted(ARTIFACTS, text);
}

function artifact(name, { abi, evm }) {
  const constant = name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  return `export const ${constant} = ${JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` })} as const;`;
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) writeFileSync(ARTIFACTS, await compileContracts());
