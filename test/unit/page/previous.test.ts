/** The input of the revision before, read from the gateway: of a sub-agent's call in the turn in which it waits. */
import { inputBefore } from '../../../packages/page/src/pages/call/previous';
import type { Question, ShownTurn } from '../../../src/shapes/turn-view';

const [FIRST, SECOND] = ['1'.repeat(64), '2'.repeat(64)];
const call = (revision: number, digest: string) => ({ id: '1.1', revision, digest });
const view = (turn_id: string, calls: object[]) => ({ turn_id, calls }) as unknown as ShownTurn;
const question = (revision: number, of?: string) =>
  ({ id: '1.1', revision, digest: SECOND, ...(of === undefined ? {} : { of: { turn_id: of } }) }) as unknown as Question;

describe('the input before', () => {
  const asked: string[] = [];
  let answers: Record<string, object> = {};
  const { fetch } = globalThis;
  beforeEach(() => {
    asked.length = 0;
    Object.assign(globalThis, {
      document: { baseURI: 'http://desk.example/' },
      fetch: async (address: string) => {
        const path = address.replace('http://desk.example/', '');
        asked.push(path);
        const found = answers[path];
        return found ? Response.json(found) : Response.json({ error: { reason: 'gone', message: 'Gone.' } }, { status: 404 });
      },
    });
  });
  afterEach(() => void Object.assign(globalThis, { fetch, document: undefined }));

  it('of a changed call is that of the same call in the same turn', async () => {
    answers = { [`v1/turns/above/calls/${FIRST}`]: { input: { cents: 1 } } };
    expect(await inputBefore(view('above', [call(1, FIRST), call(2, SECOND)]), question(2))).toEqual({ cents: 1 });
  });

  it('of a sub-agent’s call is read in its own turn, although the turn above has a call of the same number', async () => {
    answers = {
      'v1/turns/below': view('below', [call(1, FIRST), call(2, SECOND)]),
      [`v1/turns/below/calls/${FIRST}`]: { input: { cents: 70_000 } },
    };
    const above = view('above', [call(1, 'f'.repeat(64))]);
    expect(await inputBefore(above, question(2, 'below'))).toEqual({ cents: 70_000 });
    expect(asked).toEqual(['v1/turns/below', `v1/turns/below/calls/${FIRST}`]);
  });

  it('is none of a first revision, and none where it cannot be read', async () => {
    answers = {};
    expect(await inputBefore(view('above', [call(1, SECOND)]), question(1))).toBeNull();
    expect(asked).toEqual([]);
    expect(await inputBefore(view('above', []), question(2))).toBeNull();
    expect(await inputBefore(view('above', [call(1, FIRST)]), question(2))).toBeNull();
    expect(await inputBefore(view('above', []), question(2, 'below'))).toBeNull();
  });
});
