/** The A2A endpoint, with the protocol's own client. */
import { randomBytes } from 'node:crypto';
import { Tokens } from '../../../src/gateway/auth/principals';
import { eventually } from '../support/engine';
import { afterTurns } from '../support/sessions';
import { ana, boss, eve, invoice, rita, ron } from '../support/gateway-scene';
import { all, answerOf, data, dataOf, get, message, part, peer, send, stateOf, statesOf, text } from '../support/peer';
import { protocolScene, vera } from '../support/protocol-scene';
import { TaskState, type Task } from '../../support/a2a-sdk';
import { ask, say } from '../../support/scripted-model';
import { loses, reads } from '../../support/tools';

describe('an A2A task', () => {
  it('is a turn; its context is a session; the card says where the agent is and what it can', () =>
    protocolScene(
      { tools: [reads('quote', () => ({ price: 7 }))], script: [ask(['quote', {}]), say('It costs 7.'), say('Still 7.')] },
      async (scene) => {
        const client = await peer(scene, rita);
        const card = await client.getAgentCard();
        expect(card).toMatchObject({
          name: 'tester',
          capabilities: { streaming: true, pushNotifications: false },
          supportedInterfaces: [{ url: `${scene.url()}/a2a/tester`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          securityRequirements: [{ schemes: { bearer: {} } }],
        });
        expect(card.skills.map(({ id }) => id)).toEqual(['chat', 'quote', 'read_result']);
        const task = await send(client, [text('What does AAPL cost?')]);
        expect([stateOf(task), answerOf(task), task.id]).toEqual([
          'TASK_STATE_COMPLETED',
          ['It costs 7.'],
          `${task.contextId}.1`,
        ]);
        expect(await get(client, task.id)).toEqual(task);
        expect((await scene.client.session(task.contextId).find()).requester).toBe('acme/rita');
        const next = await send(client, [text('And now?')], { contextId: task.contextId });
        expect([next.id, next.contextId, answerOf(next)]).toEqual([`${task.contextId}.2`, task.contextId, ['Still 7.']]);
        await afterTurns(scene.client.session(task.contextId), 2);
      },
    ));

  it('waits as input-required, with the card; a data part approves it, also at a gateway that has just begun', () =>
    protocolScene({}, async (scene) => {
      const waiting = await send(await peer(scene, rita), [text('Pay INV-7.')]);
      expect(stateOf(waiting)).toBe('TASK_STATE_INPUT_REQUIRED');
      const [question] = dataOf(waiting);
      expect(question).toMatchObject({
        kind: 'approval',
        call: expect.stringMatching(/^[0-9a-f]{64}$/),
        card: { tool: 'pay', input: invoice },
      });
      await scene.restart();
      const approver = await peer(scene, ana);
      expect(dataOf(await get(approver, waiting.id))).toEqual([question]);
      const decide = [data({ decision: 'approve', call: question.call })];
      const done = await send(approver, decide, { taskId: waiting.id });
      expect([stateOf(done), answerOf(done), scene.effects]).toEqual(['TASK_STATE_COMPLETED', ['It is paid.'], [invoice]]);
      const { calls } = await scene.client.turn(waiting.id).result();
      expect(calls[0]!.approval.decisions).toMatchObject([{ by: 'acme/ana', attested: true }]);
    }));

  it('that is denied is rejected; the text beside the decision is its note, which the model reads', () =>
    protocolScene({}, async (scene) => {
      const client = await peer(scene, vera);
      const waiting = await send(client, [text('Pay INV-7.')]);
      const [{ call }] = dataOf(waiting);
      const done = await send(client, [data({ decision: 'deny', call }), text('Not this month.')], { taskId: waiting.id });
      expect([stateOf(done), scene.effects]).toEqual(['TASK_STATE_REJECTED', []]);
      expect(JSON.stringify(scene.model.requests[1]!.messages)).toContain('Not this month.');
    }));

  it('takes decisions from approvers only, and shows itself only to those who may see the turn', () =>
    protocolScene({}, async (scene) => {
      const client = await peer(scene, rita);
      const waiting = await send(client, [text('Pay INV-7.')]);
      const [{ call }] = dataOf(waiting);
      const decision = data({ decision: 'approve', call });
      await expect(send(client, [decision], { taskId: waiting.id })).rejects.toThrow('takes one of the roles approver');
      await expect(send(client, [text('Yes!')], { taskId: waiting.id })).rejects.toThrow('waits for a decision');
      for (const who of [eve, ron]) {
        const other = await peer(scene, who);
        await expect(get(other, waiting.id)).rejects.toThrow('There is no t');
        await expect(send(other, [decision], { taskId: waiting.id })).rejects.toThrow('There is no t');
        await expect(send(other, [text('Hello.')], { contextId: waiting.contextId })).rejects.toThrow('There is no session');
        await expect(other.cancelTask({ tenant: '', id: waiting.id, metadata: undefined })).rejects.toThrow('There is no t');
        await expect(all(other.resubscribeTask({ tenant: '', id: waiting.id }))).rejects.toThrow('There is no t');
        expect((await other.listTasks(list)).tasks.map(({ id }) => id)).not.toContain(waiting.id);
      }
      const approver = await peer(scene, ana);
      const listed = async () => (await approver.listTasks(list)).tasks.find(({ id }) => id === waiting.id);
      expect(stateOf(await eventually('it is listed', listed))).toBe('TASK_STATE_INPUT_REQUIRED');
      for (const [parts, why] of [
        [[data({ decision: 'approve', call: 'f'.repeat(64) })], 'waits for a person'],
        [[data({ decision: 'approve', call, by: 'acme/boss' })], '"by" must be "acme/ana"'],
        [[data({ decision: 'approve', call, attestation: 'x.y' })], '"attestation" is made here'],
        [[data({ decision: 'maybe', call })], '"decision" must be'],
        [[data({ approved: true })], 'A part is data'],
        [[decision, decision], 'One message has one decision'],
        [[part({ $case: 'url', value: 'http://127.0.0.1/' })], 'A part is url'],
        [[], 'has no text'],
      ] as const)
        await expect(send(approver, [...parts], { taskId: waiting.id })).rejects.toThrow(why);
      await expect(send(approver, [text('Hello.')])).rejects.toThrow('takes one of the roles starter, admin');
      expect(scene.effects).toEqual([]);
      const cancelled = await (await peer(scene, boss)).cancelTask({ tenant: '', id: waiting.id, metadata: undefined });
      expect(stateOf(cancelled)).toBe('TASK_STATE_CANCELED');
      await expect(client.cancelTask({ tenant: '', id: waiting.id, metadata: undefined })).rejects.toThrow('has ended');
    }));

  it('is listed behind any number of direct calls', () =>
    protocolScene({ tools: [reads('quote', () => ({ price: 7 }))], script: [say('Hello.')] }, async (scene) => {
      const client = await peer(scene, vera);
      const task = await send(client, [text('Hello?')]);
      await (await scene.client.call({ tool: 'quote', agent: 'tester', input: {}, requester: vera.entry.principal })).result();
      const listed = async () => {
        const { tasks, totalSize } = await client.listTasks({ ...list, contextId: task.contextId, pageSize: 1 });
        return totalSize === 1 && tasks[0]!.id === task.id;
      };
      await eventually('it is listed', listed);
    }));

  it('is streamed: its state, the text of its answer, and its end; who subscribes later hears the end too', () =>
    protocolScene({}, async (scene) => {
      const client = await peer(scene, vera);
      const events = await all(client.sendMessageStream(message([text('Pay INV-7.')])));
      expect(events[0]!.$case).toBe('task');
      expect(statesOf(events).at(-1)).toBe('TASK_STATE_INPUT_REQUIRED');
      const last = events.at(-1)!.value as { taskId: string; status: Task['status'] };
      const [{ call }] = dataOf(last);
      const heard = all(client.resubscribeTask({ tenant: '', id: last.taskId }));
      const decided = await all(
        client.sendMessageStream(message([data({ decision: 'approve', call })], { taskId: last.taskId })),
      );
      for (const stream of [decided, await heard]) {
        expect(statesOf(stream).at(-1)).toBe('TASK_STATE_COMPLETED');
        const artifacts = stream.flatMap((event) => (event.$case === 'artifactUpdate' ? [event.value] : []));
        expect(artifacts.at(-1)).toMatchObject({
          append: false,
          lastChunk: true,
          artifact: { parts: [{ content: { value: 'It is paid.' } }] },
        });
      }
      expect(scene.effects).toEqual([invoice]);
    }));

  it('whose subscriber’s token ends goes on; the subscriber hears of it, and subscribes again', () => {
    const tokens = new Tokens([vera.entry]);
    let counts = true;
    const authenticate = async (header: string | undefined) => (counts ? tokens.principalOf(header) : null);
    const more = { authenticator: { hint: '', authenticate }, streams: { retryMs: 20, tokenLookMs: 20 } };
    return protocolScene(
      {},
      async (scene) => {
        const client = await peer(scene, vera);
        const { id } = await send(client, [text('Pay INV-7.')]);
        const heard: string[] = [];
        const subscription = (async () => {
          for await (const { payload } of client.resubscribeTask({ tenant: '', id })) {
            heard.push(payload!.$case);
            counts = false;
          }
        })();
        await expect(subscription).rejects.toThrow('The token of this request has ended.');
        expect(heard[0]).toBe('task');
        counts = true;
        const again = all(client.resubscribeTask({ tenant: '', id }));
        await scene.client.turn(id).cancel();
        expect(statesOf(await again).at(-1)).toBe('TASK_STATE_CANCELED');
      },
      more,
    );
  });

  it('is begun once by a message that is sent again; another message under its id is refused', () =>
    protocolScene({ script: [say('one'), say('two')] }, async (scene) => {
      const client = await peer(scene, rita);
      const messageId = randomBytes(6).toString('hex');
      const tasks = [await send(client, [text('First.')], { messageId }), await send(client, [text('First.')], { messageId })];
      expect(tasks[1]).toEqual(tasks[0]);
      await expect(send(client, [text('Other.')], { messageId })).rejects.toThrow('has been used for another message');
      await expect(send(client, [text('More.')], { taskId: tasks[0]!.id })).rejects.toThrow('The task has ended');
      expect(scene.model.requests).toHaveLength(1);
      await afterTurns(scene.client.session(tasks[0]!.contextId), 1);
    }));

  it('with a call in doubt asks how it ended', () =>
    protocolScene({ tools: [loses('wire')], script: [ask(['wire', { to: 'ana' }]), say('Settled.')] }, async (scene) => {
      const client = await peer(scene, vera);
      const waiting = await send(client, [text('Send it.')]);
      const [{ call }] = dataOf(waiting);
      const doubt = await send(client, [data({ decision: 'approve', call })], { taskId: waiting.id });
      expect(dataOf(doubt)).toMatchObject([{ kind: 'in_doubt', call }]);
      const settle = data({ decision: 'settle', call, outcome: 'not_applied' });
      expect(stateOf(await send(client, [settle], { taskId: waiting.id }))).toBe('TASK_STATE_COMPLETED');
    }));

  it('is answered in the form of JSON-RPC, also where the request is no request', () =>
    protocolScene({}, async (scene) => {
      const post = async (body: string, headers: Record<string, string> = rita.headers, agent = 'tester') => {
        const url = `${scene.url()}/a2a/${agent}`;
        const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
        return { status: response.status, body: (await response.json()) as any };
      };
      const request = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
      const cases: [string, number, number][] = [
        ['{', 400, -32700],
        ['[]', 400, -32602],
        ['{"jsonrpc":"1.0","method":"GetTask"}', 400, -32602],
        [request('DropTables'), 200, -32601],
        [request('GetTask', { id: '' }), 200, -32602],
        [request('GetTask', { id: '../../x' }), 200, -32001],
        [request('GetTask', { id: 'call/x' }), 200, -32001],
        [request('SendMessage'), 200, -32602],
        [
          request('SendMessage', { message: { messageId: 'x'.repeat(300), role: 'ROLE_USER', parts: [{ text: 'Hi' }] } }),
          200,
          -32602,
        ],
        [request('SendMessage', { message: { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'Hi' }] } }), 200, -32602],
        [request('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'http://127.0.0.1/' }), 200, -32003],
        [request('SubscribeToTask', { id: 'none' }), 200, -32001],
        [request('SendMessage', { message: { messageId: 'x', parts: [null] } }), 200, -32602],
        [request('SendStreamingMessage', { message: 7 }), 200, -32602],
      ];
      for (const [body, status, code] of cases) {
        const answer = await post(body);
        expect({ body, status: answer.status, rpc: answer.body.jsonrpc, code: answer.body.error?.code }).toEqual({
          body,
          status,
          rpc: '2.0',
          code,
        });
        expect(JSON.stringify(answer.body)).not.toMatch(/at .*\.ts|node_modules/);
      }
      expect(await post(request('GetTask'), {})).toMatchObject({ status: 401, body: { jsonrpc: '2.0', id: null, error: {} } });
      expect(await post(request('GetTask'), rita.headers, 'nobody')).toMatchObject({
        status: 404,
        body: { error: { code: -32602 } },
      });
      expect(await post(request('GetTask', { id: 'x' }), { ...rita.headers, 'a2a-version': '9.0' })).toMatchObject({
        body: { error: { code: -32009 } },
      });
      expect((await fetch(`${scene.url()}/.well-known/agent-card.json`, { headers: ana.headers })).status).toBe(200);
      expect((await fetch(`${scene.url()}/a2a/tester/.well-known/agent-card.json`)).status).toBe(401);
      expect(scene.model.requests).toHaveLength(0);
    }));
});

const list = {
  ...{ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
  statusTimestampAfter: undefined,
};
