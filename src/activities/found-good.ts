/**
 * When a worker first found a signed decision good. What was good when it came holds later too: the first of several people
 * signs for a day at most, and the last may take longer. The store knows it, since history is not believed.
 */
import { hashJson } from '../shared/digests';
import type { Store } from '../store/store';

type Registers = Pick<Store, 'registers'>;

export function noteGood({ registers }: Registers, attestation: string): Promise<void> {
  return registers.update(nameOf(attestation), (known, now) =>
    known === null ? { value: new Date(now).toISOString(), answer: undefined } : { answer: undefined },
  );
}

/** ISO 8601; undefined: no worker over this store has. */
export async function foundGood({ registers }: Registers, attestation: string): Promise<string | undefined> {
  const { value } = await registers.read(nameOf(attestation));
  return typeof value === 'string' ? value : undefined;
}

function nameOf(attestation: string): string {
  return `decided/${hashJson(attestation)}`;
}
