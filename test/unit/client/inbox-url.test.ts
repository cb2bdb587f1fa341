import { HoldfastClient } from '../../../src/client';

const client = (uiUrl: string | null) =>
  new HoldfastClient({ options: { namespace: 'default' } } as never, { taskQueue: 'holdfast', uiUrl });

test('a turn’s inbox is its page in the Web UI, where a person decides; without a Web UI there is none', () => {
  const turn = client('http://127.0.0.1:8233').turn('inv-7');
  expect(turn.inboxUrl).toBe('http://127.0.0.1:8233/namespaces/default/workflows/turn%2Finv-7');
  expect(turn.named('once').inboxUrl).toBe(turn.inboxUrl);
  expect(client('http://127.0.0.1:8233').turn('call%2Fx').inboxUrl).toBe(
    'http://127.0.0.1:8233/namespaces/default/workflows/call%2Fx',
  );
  expect(client(null).turn('inv-7').inboxUrl).toBeNull();
});
