/** Names the command with which a person decides on a waiting call, or answers it. */
import type { Card } from '../../shapes/card';

/** The command that ends the wait, without its answer. */
export function commandFor(kind: Card['kind'], turnId: string, digest: string): string {
  if (kind === 'in_doubt') return `settle ${turnId} applied|not_applied --call ${digest}`;
  return kind === 'question' ? `answer ${turnId} --call ${digest} --value JSON` : `approve ${turnId} --call ${digest}`;
}
