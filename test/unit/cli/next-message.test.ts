import { NextMessage } from '../../../src/cli/support/next-message';
import { DecisionNotAccepted, InvalidRequest, NoWorker } from '../../../src/client/errors';
import type { InputPart, MessageInput } from '../../../src/shapes/message';

const INVOICE: InputPart = { type: 'document', file: 'a'.repeat(64), name: 'invoice.pdf' };
const STAMP: InputPart = { type: 'image', file: 'b'.repeat(64), name: 'stamp.png' };

/** @param errors of the first messages; later ones are taken */
function conversation(...errors: Error[]) {
  const sent: { message: MessageInput; id: string | undefined }[] = [];
  const next = new NextMessage(async (message, { id }) => {
    sent.push({ message, id });
    const error = errors.shift();
    if (error) throw error;
    return { turn_id: `talk.${sent.length}` };
  });
  return { next, sent, messages: () => sent.map(({ message }) => message), ids: () => sent.map(({ id }) => id) };
}

describe('the next message of a conversation', () => {
  it.each([
    ['that no worker answered', new NoWorker('take the message', null, { taken: 'unknown', why: 'no answer' })],
    ['that was not accepted', new DecisionNotAccepted('Not accepted: the queue is full.')],
  ])('has its files and its id again after one %s', async (_what, error) => {
    const { next, sent, messages } = conversation(error);
    next.add(INVOICE);
    await expect(next.say('Pay it.')).rejects.toBe(error);
    expect(next.files).toBe(1);
    expect(await next.say('Pay it.')).toBe('talk.2');
    expect(messages()[0]).toEqual([{ type: 'text', text: 'Pay it.' }, INVOICE]);
    expect(sent[1]).toEqual(sent[0]);
    expect(next.files).toBe(0);
  });

  it('has an id of its own if its text or its files are others, or if the one before was taken', async () => {
    const error = new NoWorker('take the message', null, { taken: 'unknown', why: 'no answer' });
    const { next, messages, ids } = conversation(error, error);
    await expect(next.say('Pay it.')).rejects.toBe(error);
    next.add(STAMP);
    await expect(next.say('Pay it.')).rejects.toBe(error);
    await next.say('Pay both.');
    await next.say('Pay both.');
    await next.say('Pay both.');
    expect(messages().slice(2)).toEqual([[{ type: 'text', text: 'Pay both.' }, STAMP], 'Pay both.', 'Pay both.']);
    expect(new Set(ids()).size).toBe(5);
  });

  it('does not have the files of an invalid one, which would make it invalid too', async () => {
    const error = new InvalidRequest('send: 20 files are allowed.');
    const { next, messages } = conversation(error);
    next.add(INVOICE);
    await expect(next.say('Pay it.')).rejects.toBe(error);
    await next.say('Pay it.');
    expect(messages()[1]).toBe('Pay it.');
  });
});
