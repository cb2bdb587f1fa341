/** The time of a time-skipping server, which this process and its worker follow until `end`. */
import { msToNumber, type Duration } from '@temporalio/common/lib/time';
import type { Worker } from '@temporalio/worker';
import { DateAhead } from './date-ahead';
import type { TimeServer } from './time-server';

export class TestClock {
  private readonly date = new DateAhead();
  private skipping = false;

  private constructor(private readonly server: TimeServer) {}

  static async begin(server: TimeServer): Promise<TestClock> {
    const clock = new TestClock(server);
    await clock.follow();
    return clock;
  }

  /** Has each activity of the worker begin at the time of the server, in the middle of a skip too. */
  keep(worker: Worker): void {
    const { activities } = (worker as unknown as WithActivities).options;
    for (const [name, activity] of activities)
      activities.set(name, async (input) => {
        if (this.skipping) await this.follow();
        return activity(input);
      });
  }

  /** Lets this time pass for the server and this process. Timers fire on the way, in their order. */
  async skip(time: Duration): Promise<void> {
    this.skipping = true;
    try {
      await this.server.skip(msToNumber(time));
    } finally {
      this.skipping = false;
      await this.follow();
    }
  }

  /** The process has its own time again. What was left behind is terminated: it has no worker, and time does not pass while it waits for one. */
  async end(): Promise<void> {
    this.date.restore();
    await this.server.terminateAll();
  }

  private async follow(): Promise<void> {
    this.date.setTo(await this.server.now());
  }
}

interface WithActivities {
  options: { activities: Map<string, (input: unknown) => unknown> };
}
