/** Files for messages: puts them into the store, and makes messages that name them. What this needs is loaded on first use. */
import { LOCAL_PRINCIPAL } from '../shared/ids';
import type { MessageInput, UploadedFile } from '../shapes/message';
import type { Json } from '../shared/json/json';
import { messageFault, type Message } from '../shared/turn/message';
import type { Store } from '../store/store';
import { InvalidRequest } from './errors';

export interface PutFile {
  bytes: Uint8Array;
  /** For people and for the model; says nothing of the content. */
  name?: string;
  /** If it is given, the content must be of this type. */
  mediaType?: string;
  /** Who may name the file in a message. Default `local`. */
  requester?: string;
}

export class Files {
  constructor(private readonly store: (what: string) => Promise<Store>) {}

  /**
   * Puts an image (PNG, JPEG, GIF, WebP), a PDF or a plain text into the store. The same file again is the same reference.
   * @returns a part for a message
   * @throws InvalidRequest with what is wrong with the file; for a client without a store
   * @example
   * const invoice = await holdfast.files.put({ bytes: await readFile('invoice.pdf'), name: 'invoice.pdf' });
   * await holdfast.start({ agent: 'payables', message: [{ type: 'text', text: 'Pay this.' }, invoice] });
   */
  async put({ requester = LOCAL_PRINCIPAL, ...file }: PutFile): Promise<UploadedFile> {
    if (!(file.bytes instanceof Uint8Array)) throw new InvalidRequest('files.put: "bytes" must be a Uint8Array or a Buffer.');
    const store = await this.store('files.put');
    const { putFile } = await import('../files/stored-files.js');
    return asInvalid(() => putFile(store, requester, file));
  }

  /** The message that a turn is started with. @throws InvalidRequest; for parts, also for a client without a store */
  async message(owner: string, message: MessageInput): Promise<Message> {
    if (typeof message === 'string') return message;
    // The gateway has put the files into the workers' store itself; workers compare what a message says with the store.
    if (messageFault(message as Json) === null) return message as Message;
    const store = await this.store('a message with parts');
    const { storedMessage } = await import('../files/message-input.js');
    return asInvalid(() => storedMessage(store, owner, message));
  }
}

const NOT_TAKEN = ['BadFile', 'UnknownFile'];

async function asInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && NOT_TAKEN.includes(error.name)) throw new InvalidRequest(error.message);
    throw error;
  }
}
