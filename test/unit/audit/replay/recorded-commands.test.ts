import { readHistory } from '../../../../src/audit/replay/recorded-commands';

const started = { eventId: 1, workflowExecutionStartedEventAttributes: { workflowType: { name: 'turn' } } } as never;
const scheduled = { eventId: 2, workflowTaskScheduledEventAttributes: { attempt: 1 } } as never;

describe('a history to replay', () => {
  it('begins with the start of a workflow', () => {
    expect(() => readHistory([scheduled])).toThrow('does not begin with the start of a workflow');
  });

  it('of a run that has only begun is refused, because Temporal’s replay would wait for ever', () => {
    expect(() => readHistory([started])).toThrow('it has only begun');
    expect(readHistory([started, scheduled])).toMatchObject({ commands: [], isEnded: false, events: 2 });
  });
});
