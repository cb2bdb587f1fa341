import { z } from 'zod';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { Registry } from '../../../src/tools/catalogue/registry';

const description = 'Asks it.';
const agent = (name: string, tools: ReturnType<typeof agentTool>[] = [], more = {}) =>
  defineAgent({ name, prompt: `You are ${name}.`, tools, ...more });

describe('an agent as a tool', () => {
  it('is of class agent, takes a task, and has the name of its agent', () => {
    const tool = agentTool(agent('deep.research'), { description });
    expect(tool).toMatchObject({ name: 'deep_research', class: 'agent', version: '1.0.0', untrustedOutput: true });
    expect(tool.subAgent!.message({ task: 'Look.' })).toBe('Look.');
  });

  it.each([
    ['an input without a message', { description, input: z.object({ a: z.string() }) }, 'together, or neither'],
    ['a limit that is none', { description, limits: { steps: 0 } }, 'limits.steps is 0'],
    ['a limit that JSON cannot carry', { description, limits: { tokens: 2 ** 60 } }, 'limits.tokens is 1152921504606847000'],
    ['no description', {}, 'description must'],
    ['a misspelt field', { description, limts: { steps: 3 } }, 'limts is no field; did you mean limits?'],
    ['a misspelt limit', { description, limits: { step: 3 } }, 'limits.step is no field; did you mean steps?'],
    ['a class of its own', { description, class: 'read' }, 'class is no field; the fields are'],
    ['a function', { description, run: () => null }, 'run is no field'],
    ['a field of a tool that acts', { description, idempotent: true }, 'idempotent is no field'],
  ])('refuses %s', (_, definition, fault) => {
    expect(() => agentTool(agent('a'), definition as never)).toThrow(fault);
  });

  it('refuses a value that is not an agent', () => expect(() => agentTool({} as never, { description })).toThrow('defineAgent'));
});

describe('an app', () => {
  it('serves the agents that its tools ask, and the agents that those ask, each once; defining it again changes nothing', () => {
    const c = agent('c');
    const b = agent('b', [agentTool(c, { description })]);
    const app = defineApp({ agents: [agent('a', [agentTool(b, { description }), agentTool(c, { description })])] });
    expect(app.agents.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(defineApp(app).agents.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(new Registry(app).names()).toEqual(['a', 'b', 'c']);
  });

  it('finds an agent that is given by name, and refuses a name that it does not have', () => {
    expect(() => defineApp({ agents: [agent('a', [agentTool('b', { description })])] })).toThrow(
      'asks agent "b", which the app does not have',
    );
    expect(defineApp({ agents: [agent('a', [agentTool('b', { description })]), agent('b')] }).agents).toHaveLength(2);
  });

  it.each([
    ['itself', ['a']],
    ['itself by way of another', ['b', 'a']],
  ])('refuses an agent that asks %s', (_, way) => {
    const made = way.map((name, index) => agent(way.at(index - 1)!, [agentTool(name, { description })]));
    expect(() => defineApp({ agents: made })).toThrow(/agents ask each other in a circle: \w( → \w)+/);
  });

  it('refuses another agent of the same name', () => {
    expect(() => defineApp({ agents: [agent('a', [agentTool(agent('b'), { description })]), agent('b')] })).toThrow(
      'another one of that name',
    );
  });

  it('refuses a maxDepth out of range', () => expect(() => agent('a', [], { maxDepth: 11 })).toThrow('maxDepth is 11'));
});
