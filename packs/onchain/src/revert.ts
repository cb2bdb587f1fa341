/** Turns the contracts' errors into tool errors, one line per error; the same before signing and in a block. */
import { type ErrorCode, ToolError } from 'holdfast/tools';

type Args = readonly unknown[];
type Line = [code: ErrorCode, reason: string, message: (args: Args) => string, hint: string];

const ASK_OWNER = "Only the session's owner can change that. Tell the user.";

const TABLE: Record<string, Line> = {
  SessionUnknown: ['PERMISSION_DENIED', 'session_unknown', ([key]) => `The chain knows no session of the key ${key}`, ASK_OWNER],
  SessionExpired: [
    'PERMISSION_DENIED',
    'session_expired',
    ([key, at]) => `The session of ${key} ended at ${new Date(Number(at) * 1000).toISOString()}`,
    ASK_OWNER,
  ],
  TokenNotAllowed: [
    'PERMISSION_DENIED',
    'token_not_allowed',
    ([token]) => `The session may not touch the token ${token}`,
    ASK_OWNER,
  ],
  AllowanceExceeded: [
    'QUOTA_EXCEEDED',
    'allowance_exceeded',
    ([token, left, wanted]) => `The session may still spend ${left} of ${token}, and this swap takes ${wanted}`,
    `Swap less. ${ASK_OWNER}`,
  ],
  PoolUnknown: [
    'RESOURCE_NOT_FOUND',
    'no_pool',
    ([from, to]) => `There is no pool for ${from} and ${to}`,
    'Check both addresses with the user.',
  ],
  PoolEmpty: ['RESOURCE_NOT_FOUND', 'pool_empty', () => 'The pool of these tokens is empty', 'Tell the user.'],
  AmountTooLarge: ['INVALID_PARAMS', 'amount_too_large', ([amount]) => `The pool cannot hold ${amount}`, 'Swap less.'],
  OutputTooSmall: [
    'INVALID_PARAMS',
    'price_moved',
    ([out, min]) => `The swap would give ${out}, less than the ${min} that were agreed`,
    'Call simulate_swap again, and ask for the swap with its new simulated_min_out.',
  ],
  DeadlinePassed: [
    'INVALID_PARAMS',
    'deadline_passed',
    ([deadline]) => `The deadline ${deadline} has passed`,
    'Simulate again, and set a later deadline_ts.',
  ],
  InsufficientBalance: [
    'EXECUTION_ERROR',
    'owner_balance_too_low',
    ([, balance, wanted]) => `The owner of the session has ${balance}, and this swap takes ${wanted}`,
    ASK_OWNER,
  ],
  InsufficientApproval: [
    'EXECUTION_ERROR',
    'owner_approval_too_low',
    ([, , approved, wanted]) => `The owner of the session lets the router take ${approved}, and this swap takes ${wanted}`,
    ASK_OWNER,
  ],
};

/** @param reason text of a token's own revert, written by the token's author */
export function revertFailure(errorName: string, args: Args, reason?: string): ToolError {
  const line = Object.hasOwn(TABLE, errorName) ? TABLE[errorName] : undefined;
  if (line) {
    const [code, word, message, hint] = line;
    return new ToolError(code, word, `${message(args)}.`, { hint: `Nothing was swapped. ${hint}`, nothingHappened: true });
  }
  // Another transaction with this id did the swap, so something has happened.
  const already = errorName === 'AlreadySwapped';
  const cause = reason ?? (errorName || 'no reason given');
  const message = already
    ? 'The chain says that this swap has already happened, but the journal of this worker does not have it.'
    : `The contract refused: ${JSON.stringify(cause.slice(0, 200).toWellFormed())}.`;
  const hint = already ? 'Do all workers share HOLDFAST_EVM_JOURNAL?' : 'Nothing was swapped.';
  return new ToolError('EXECUTION_ERROR', already ? 'already_swapped' : 'reverted', message, { hint, nothingHappened: !already });
}
