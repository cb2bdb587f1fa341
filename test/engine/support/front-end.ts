/** A front end that speaks AG-UI, with the protocol's own client. */
import { randomBytes } from 'node:crypto';
import { HttpAgent, type RunAgentResult } from '@ag-ui/client';
import type { AGUIEvent, Interrupt, ResumeEntry } from '@ag-ui/core';
import type { Person } from '../../support/gateway';
import type { ProtocolScene } from './protocol-scene';

/** A front end of one person, with what its last run told it. */
export class FrontEnd {
  readonly agent: HttpAgent;
  events: AGUIEvent[] = [];

  constructor(
    scene: ProtocolScene,
    who: Person,
    { thread = `thread-${randomBytes(6).toString('hex')}`, name = 'tester' }: { thread?: string; name?: string } = {},
  ) {
    this.agent = new HttpAgent({ url: `${scene.url()}/v1/ag-ui/${name}`, threadId: thread, headers: who.headers });
  }

  say(text: string, runId?: string): Promise<RunAgentResult> {
    this.agent.addMessage({ id: randomBytes(6).toString('hex'), role: 'user', content: text });
    return this.run({ runId });
  }

  answer(...resume: ResumeEntry[]): Promise<RunAgentResult> {
    return this.run({ resume });
  }

  run(parameters: Parameters<HttpAgent['runAgent']>[0]): Promise<RunAgentResult> {
    this.events = [];
    if (parameters?.resume === undefined) this.agent.pendingInterrupts = []; // as a page that was loaded again
    return this.agent.runAgent(parameters, { onEvent: ({ event }) => void this.events.push(event as AGUIEvent) });
  }

  kinds(): string[] {
    return this.events.map(({ type }) => type).filter((type) => type !== 'CUSTOM');
  }

  of<T extends AGUIEvent['type']>(type: T): Extract<AGUIEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<AGUIEvent, { type: T }> => event.type === type);
  }

  /** The last event: the run's end. */
  get end(): AGUIEvent {
    return this.events.at(-1)!;
  }

  get interrupts(): Interrupt[] {
    const { outcome } = this.end as Extract<AGUIEvent, { type: 'RUN_FINISHED' }>;
    return outcome?.type === 'interrupt' ? outcome.interrupts : [];
  }
}

export const approved = ({ id }: Interrupt, more: object = {}): ResumeEntry => ({
  interruptId: id,
  status: 'resolved',
  payload: { approved: true, ...more },
});
export const denied = ({ id }: Interrupt, note: string): ResumeEntry => ({
  interruptId: id,
  status: 'resolved',
  payload: { approved: false, note },
});
