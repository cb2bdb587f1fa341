import { targetOf } from '../../../src/packs/mcp/target';
import type { ServerConfig } from '../../../src/packs/mcp/servers-file';

const clean = (text: string) => text.replaceAll('s3cret-token', '[secret]');
const of = (server: Partial<ServerConfig>) =>
  targetOf('bank', { server: { name: 'bank', secrets: [], ...server } as ServerConfig, clean });
const stdio = (more: object) => of({ transport: 'stdio', command: 'bank', args: [], env: {}, ...more });
const http = (more: object) => of({ transport: 'http', url: 'https://bank.example/mcp', headers: {}, ...more });

describe('what a server’s tools act on', () => {
  it.each([
    ['the end of a long command', stdio({ args: ['x'.repeat(2000), 'DE-1'] }), stdio({ args: ['x'.repeat(2000), 'DE-2'] })],
    ['one argument or two', stdio({ args: ['a b'] }), stdio({ args: ['a', 'b'] })],
    ['the folder that it starts in', stdio({ cwd: '/srv/one' }), stdio({ cwd: '/srv/two' })],
  ])('is another where %s differs', (_what, one, other) => expect(one).not.toEqual(other));

  it('is short, shows no secret, and is the same where a secret is another', () => {
    const target = stdio({ args: ['y'.repeat(9000)], env: { TOKEN: 's3cret-token' }, cwd: 'z'.repeat(4096) });
    expect(JSON.stringify(target).length).toBeLessThan(3000);
    expect(JSON.stringify(target)).not.toContain('s3cret-token');
    expect(http({ headers: { authorization: 's3cret-token' } })).toEqual(http({ headers: { authorization: '[secret]' } }));
    expect(http({})).toEqual({ server: 'bank', url: 'https://bank.example/mcp' });
  });
});
