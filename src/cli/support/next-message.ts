/** The next message of a conversation. Its files and its id stay until the session has taken it, so it can be sent again. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../client/errors';
import type { SendMessage } from '../../client/sessions/session-handle';
import type { InputPart, MessageInput } from '../../shapes/message';

type Send = (message: MessageInput, more: SendMessage) => Promise<{ turn_id: string }>;

export class NextMessage {
  private parts: InputPart[] = [];
  /** What was sent last, if it is not known to have been taken: the same message has the same id. */
  private last: { id: string; message: MessageInput } | null = null;

  constructor(private readonly send: Send) {}

  get files(): number {
    return this.parts.length;
  }

  add(file: InputPart): void {
    this.parts.push(file);
  }

  /** @returns the id of its turn @throws as the session does; files of an invalid message do not go with the next one */
  async say(text: string): Promise<string> {
    const message: MessageInput = this.files === 0 ? text : [{ type: 'text', text }, ...this.parts];
    if (!isDeepStrictEqual(this.last?.message, message)) this.last = { id: randomUUID(), message };
    try {
      const { turn_id } = await this.send(message, { id: this.last!.id });
      this.last = null;
      this.parts = [];
      return turn_id;
    } catch (error) {
      if (error instanceof InvalidRequest) this.parts = [];
      throw error;
    }
  }
}
