/** What people have said in a turn and is too long to go on in another run as it is. */
import type { KeepSaidInput, KeepSaidOutput, ReadSaidInput, ReadSaidOutput } from '../shared/activity-io';
import type { Json } from '../shared/json';
import type { Packed } from '../shared/packed';
import type { Dependencies } from './dependencies';

export async function keepSaid({ store }: Dependencies, { turn, said }: KeepSaidInput): Promise<KeepSaidOutput> {
  return { said_ref: await store.putPart(turn.first_execution_run_id, { said: said as unknown as Json }) };
}

/** As it was kept: its hash is that of the reference, which history has. */
export async function readSaid({ store }: Dependencies, { said_ref }: ReadSaidInput): Promise<ReadSaidOutput> {
  const { said } = (await store.getPart(said_ref)) as unknown as { said: Packed };
  return { said };
}
