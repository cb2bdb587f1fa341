/** Under which key a form is sent, and what is known of an answer that is not the gateway's own. */
import { ApiError, get, post } from '../../../packages/page/src/api/http';
import { Operation } from '../../../packages/page/src/state/operation';

describe('a form', () => {
  const sends: string[] = [];
  let error: Error | null = null;
  const act = async (key: string) => {
    sends.push(key);
    if (error) throw error;
  };
  const send = (form: Operation, content: unknown[], answer: Error | null = null) => {
    error = answer;
    return form.run(content, act).catch(() => undefined);
  };
  const lost = new ApiError(503, 'no_answer_yet', 'No answer yet.');
  beforeEach(() => void (sends.length = 0));
  const differ = () => new Set(sends).size;

  it('with the same content is sent again under the same key, until it has succeeded', async () => {
    const form = new Operation();
    for (const _attempt of [1, 2]) await send(form, ['payables', 'Hello'], lost);
    expect(differ()).toBe(1);
  });

  it('is sent again as it was, whatever has changed around it', async () => {
    const form = new Operation();
    let resume = true;
    const bodies: boolean[] = [];
    for (const _attempt of [1, 2]) {
      const now = resume;
      const resumes = async () => {
        bodies.push(now);
        throw lost;
      };
      await expect(form.run(['Go on.'], resumes)).rejects.toBe(lost);
      resume = false;
    }
    expect(bodies).toEqual([true, true]);
  });

  it('has a new key with another content, after a success, and after the gateway has found that nothing was taken', async () => {
    const form = new Operation();
    await send(form, ['Hello'], lost);
    await send(form, ['Hello', 'again'], lost);
    await send(form, ['Hello', 'again']);
    expect(differ()).toBe(2);
    await send(form, ['Hello', 'again'], new ApiError(409, 'not_accepted', 'No turn runs.'));
    expect(differ()).toBe(3);
    await send(form, ['Hello', 'again'], lost);
    expect(differ()).toBe(4);
  });
});

describe('an answer of a proxy', () => {
  const { fetch } = globalThis;
  const answer = (body: string, status: number) =>
    Object.assign(globalThis, {
      document: { baseURI: 'http://desk.example/' },
      fetch: async () => new Response(body, { status }),
    });
  afterEach(() => void Object.assign(globalThis, { fetch, document: undefined }));

  it('does not say whether a change was taken', async () => {
    answer('Bad gateway', 502);
    const hint = expect.stringContaining('It is not known whether the request was taken.');
    await expect(post('v1/turns')).rejects.toMatchObject({ status: 502, reason: 'unknown', hint });
    await expect(get('v1/turns')).rejects.toMatchObject({ status: 502, hint: null });
    answer('Too large', 413);
    await expect(post('v1/turns')).rejects.toMatchObject({ status: 413, hint: null });
  });

  it('is not taken for the gateway’s, whose own hint stands', async () => {
    answer(JSON.stringify({ error: { reason: 'no_worker', message: 'No worker answers.' } }), 503);
    await expect(post('v1/turns')).rejects.toMatchObject({ reason: 'no_worker', hint: null });
  });
});
