/** `npm run service -- "My cup (A-1042) is broken."`: a message of a customer, in a conversation that goes on with the next one. */
import { HoldfastClient, loadConfig, SigningKey, signSteer, type TurnHandle } from 'holdfast/client';

const customer = 'mara';
const message = process.argv.slice(2).join(' ') || 'My cup arrived broken: 1200 cents, order A-1042.';
const config = loadConfig();
const holdfast = await HoldfastClient.connect(config);
try {
  const session = await holdfast.openSession({ id: `support-${customer}`, agent: 'support', requester: customer });
  // A turn that runs, or sleeps until a parcel has arrived, reads the message before its next step. Otherwise it begins a turn.
  const { running } = await session.status();
  const turn = running
    ? await steer(holdfast.turn(running.turn_id))
    : await session.started((await session.send(message)).turn_id);
  console.log(`Turn ${turn.id}. Calls and questions that wait for a person: npx holdfast pending`);
  const { state, text, reason } = await turn.result();
  console.log(`${state}: ${text || reason}`);
} finally {
  await holdfast.close();
}

/** On a server (compose.yaml) a turn takes signed messages only. The client signs by itself what begins a turn, but not this. */
async function steer(turn: TurnHandle): Promise<TurnHandle> {
  const { signingKey } = config;
  const by = { by: customer };
  if (signingKey === null) await turn.steer(message, by);
  else {
    const key = await SigningKey.read(signingKey);
    const attestation = await signSteer(turn, key, { text: message, principal: customer, roles: [] });
    await turn.steer(message, { ...by, attestation });
  }
  return turn;
}
