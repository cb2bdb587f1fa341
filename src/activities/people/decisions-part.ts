/** What people have said in a turn and is too long to go on in another run as it is. */
import type { KeepSaidInput, KeepSaidOutput, ReadSaidInput, ReadSaidOutput } from '../../shared/activity-io';
import { readSaidPart } from '../../record/parts';
import { asJson } from '../../shared/json';
import type { Dependencies } from '../ports';

export async function keepSaid({ store }: Dependencies, { turn, said }: KeepSaidInput): Promise<KeepSaidOutput> {
  return { said_ref: await store.putPart(turn.first_execution_run_id, { said: asJson(said) }) };
}

/** As it was kept: its hash is that of the reference, which history has. */
export async function readSaid({ store }: Dependencies, { said_ref }: ReadSaidInput): Promise<ReadSaidOutput> {
  return { said: readSaidPart(await store.getPart(said_ref)) };
}
