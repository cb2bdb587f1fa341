/** A turn that goes on in another run reads cards and decisions back: only those that were stored for it, and only its own workflow. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivities } from '../../../src/activities';
import type { Dependencies } from '../../../src/activities/ports';
import type { TurnContext } from '../../../src/shared/io/activities';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';

const turnOf = (name: string) =>
  ({ turn_id: name, workflow_id: `turn/${name}`, first_execution_run_id: `run-${name}` }) as TurnContext;
const [OWN, OTHER] = [turnOf('own'), turnOf('other')];
const CARD = { call_id: '1.1', card: 'Pay INV-7.', digest: 'd' };
const SAID = { said: { value: [], texts: ['Not this one.'] } };

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-own-parts-'));
  store = await FileStore.open(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As a later run of the workflow of `OWN` does it. */
async function inLaterRun<T>(work: (activities: ReturnType<typeof createActivities>) => Promise<T>): Promise<T> {
  const turns = { runs: async (id: string, run: string) => id === OWN.workflow_id && run === OWN.first_execution_run_id };
  const activities = createActivities({ store, turns } as unknown as Dependencies);
  const info = { workflowExecution: { workflowId: OWN.workflow_id, runId: 'later' } };
  return asyncLocalStorage.run({ info, heartbeat: () => undefined } as unknown as Context, () => work(activities));
}

const readCard = (turn: TurnContext, card_ref: string) => inLaterRun((activities) => activities.readCard({ turn, card_ref }));
const readSaid = (turn: TurnContext, said_ref: string) => inLaterRun((activities) => activities.readSaid({ turn, said_ref }));
const cardOf = ({ first_execution_run_id }: TurnContext) => store.putPart(first_execution_run_id, CARD);
const saidOf = ({ first_execution_run_id }: TurnContext) => store.putPart(first_execution_run_id, SAID);

it('a turn reads its own', async () => {
  expect(await readCard(OWN, await cardOf(OWN))).toEqual({ card: CARD.card, digest: CARD.digest, run_id: 'later' });
  expect(await readSaid(OWN, await saidOf(OWN))).toEqual(SAID);
});

it('a turn does not read those of another one', async () => {
  const refused = { type: 'holdfast.store.unexpected_part', nonRetryable: true };
  await expect(readCard(OWN, await cardOf(OTHER))).rejects.toMatchObject(refused);
  await expect(readSaid(OWN, await saidOf(OTHER))).rejects.toMatchObject(refused);
});

it('a workflow that says it is another turn reads nothing', async () => {
  const refused = { type: 'holdfast.other_workflow', nonRetryable: true };
  await expect(readCard(OTHER, await cardOf(OTHER))).rejects.toMatchObject(refused);
  await expect(readSaid(OTHER, await saidOf(OTHER))).rejects.toMatchObject(refused);
  const namesake = { ...OTHER, workflow_id: OWN.workflow_id };
  await expect(readCard(namesake, await cardOf(OTHER))).rejects.toMatchObject(refused);
});
