/** An agent of somebody else, with the A2A protocol's own client. */
import { randomBytes } from 'node:crypto';
import type { Person } from '../../support/gateway';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  Role,
  TaskState,
  type Client,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
} from '../../support/a2a-sdk';
import type { ProtocolScene } from './protocol-scene';

/** An agent of somebody else, that asks ours. */
export function peer(scene: ProtocolScene, who: Person, agent = 'tester'): Promise<Client> {
  const fetchImpl: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), ...who.headers } });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${scene.url()}/a2a/${agent}/`);
}

export const part = (content: Part['content']): Part => ({ content, metadata: undefined, filename: '', mediaType: '' });
export const text = (value: string): Part => part({ $case: 'text', value });
export const data = (value: object): Part => part({ $case: 'data', value });

export function message(parts: Part[], more: Partial<Message> = {}) {
  const messageId = randomBytes(6).toString('hex');
  const base = {
    messageId,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  return { tenant: '', message: { ...base, ...more }, configuration: undefined, metadata: undefined };
}

export const send = async (client: Client, parts: Part[], more: Partial<Message> = {}): Promise<Task> =>
  (await client.sendMessage(message(parts, more))) as Task;
export const get = (client: Client, id: string) => client.getTask({ tenant: '', id });

export const stateOf = (task: { status: Task['status'] }) => TaskState[task.status!.state];
export const dataOf = (task: { status: Task['status'] }): any[] =>
  (task.status!.message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'data' ? [content.value] : []));
export const answerOf = ({ artifacts }: Task) => artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value));

export async function all(stream: AsyncGenerator<StreamResponse>): Promise<NonNullable<StreamResponse['payload']>[]> {
  const events = [];
  for await (const { payload } of stream) events.push(payload!);
  return events;
}

export const statesOf = (events: NonNullable<StreamResponse['payload']>[]) =>
  events.flatMap((event) => (event.$case === 'task' || event.$case === 'statusUpdate' ? [stateOf(event.value)] : []));
