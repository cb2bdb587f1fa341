/**
 * The public API of `@holdfast/verify`: the functions that an auditor's own program needs, and the command line. The verifier is
 * the engine's own code; the build puts all of it into one file (docs/decisions/0055-verifier-package.md).
 */
export {
  BadKeyFile,
  parseTrustedKeys,
  readTrustedKeys,
  type Revocation,
  type TrustedKey,
  type TrustEntry,
} from '../../../src/attestation/trusted-keys';
export { verifyBundle, type Verification } from '../../../src/audit/verify';
export { chainFaults, type Link } from '../../../src/audit/verify/chain';
export { describeVerification } from '../../../src/audit/verify/sentence';
export { readTombstones, type Tombstones } from '../../../src/audit/verify/tombstones';
export type { SignatureState } from '../../../src/audit/verify/verification';
export { runCommandLine } from './command-line';
