import { walk } from '../../../src/store/core/transcript';
import { withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';
import { MANY_TOOLS } from '../../support/tools/catalogue/many-tools';

describe('a turn of an agent with 200 tools', () => {
  it('finds a tool, sees it from the next step on, and calls it', async () => {
    const script = [
      ask(['find_tools', { query: 'refund money to a customer' }]),
      ask(['issue_refund', { id: '7' }]),
      say('Done.'),
    ];
    await withEngine({ tools: MANY_TOOLS, script, agent: { catalogue: { mode: 'find' } } }, async ({ start, model, store }) => {
      const turn = await start('Hm.');
      const view = await turn.result();
      expect(view.text).toBe('Done.');
      const seen = model.requests.map((request) => request.tools.map(({ name }) => name));
      expect(seen[0]).toEqual(['read_result', 'find_tools']);
      expect(seen[1]!.slice(0, 2)).toEqual(['read_result', 'find_tools']);
      expect(seen[1]).toContain('issue_refund');
      expect(seen[1]!.length).toBeLessThanOrEqual(10);
      expect(seen[2]).toEqual(seen[1]);
      expect(results(model.requests[2]!)[0]!.body).toMatchObject({ success: true, data: { tool: 'issue_refund' } });
      const headers = (await walk(store, view.head!))
        .filter(({ block }) => block.kind === 'admission')
        .map(({ bodies }) => bodies[0]);
      expect(headers[1]).toMatchObject({ catalogue: { shown: seen[1], tokens: expect.any(Number) } });
    });
  });

  it('is answered helpfully when it calls a tool that is not loaded, or none, and goes on', async () => {
    const script = [ask(['issue_refund', {}], ['isue_refund', {}]), ask(['issue_refund', {}]), say('Done.')];
    await withEngine({ tools: MANY_TOOLS, script, agent: { catalogue: { mode: 'find' } } }, async ({ start, model }) => {
      await (await start('Hm.')).result();
      const [hidden, unknown] = results(model.requests[1]!);
      expect(hidden!.body.error).toMatchObject({ code: 'TOOL_NOT_FOUND', reason: 'not_loaded' });
      expect(unknown!.body.error).toMatchObject({ reason: 'unknown_tool', hint: expect.stringContaining('issue_refund') });
      expect(model.requests[1]!.tools.map(({ name }) => name)).toContain('issue_refund');
      expect(results(model.requests[2]!)[0]!.body.success).toBe(true);
    });
  });

  it('opens a group and calls one of its tools', async () => {
    const script = [ask(['open_group', { group: 'calendar' }]), ask(['book_room', {}]), say('Done.')];
    await withEngine({ tools: MANY_TOOLS, script, agent: { catalogue: { mode: 'groups' } } }, async ({ start, model }) => {
      await (await start()).result();
      expect(model.requests[0]!.tools).toHaveLength(2);
      expect(model.requests[1]!.tools).toHaveLength(2 + 16);
      expect(results(model.requests[2]!)[0]!.body.success).toBe(true);
    });
  });
});
