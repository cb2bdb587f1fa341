/** Barriers of a fault test: the first to come to a closed gate waits there until the test lets it go, or for ever. */
const REACHED_WITHIN = 60_000;

class Moment {
  come!: () => void;
  readonly reached = new Promise<void>((resolve) => (this.come = resolve));
}

export class Gate {
  private readonly arrival = new Moment();
  private readonly opening = new Moment();

  constructor(readonly point: string) {}

  arrive(): Promise<void> {
    this.arrival.come();
    return this.opening.reached;
  }

  open(): void {
    this.opening.come();
  }

  /** Resolves when somebody waits at it. */
  async reached(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`Nobody came to "${this.point}" within ${REACHED_WITHIN} ms`)), REACHED_WITHIN);
    });
    await Promise.race([this.arrival.reached, late]).finally(() => clearTimeout(timer));
  }
}

export class Gates {
  private readonly closed = new Map<string, Gate>();

  /** Holds the next one who comes to this point; those after it pass. */
  close(point: string): Gate {
    const gate = new Gate(point);
    this.closed.set(point, gate);
    return gate;
  }

  /** @param points the names of one point, such as with and without its owner */
  async pass(...points: string[]): Promise<void> {
    const point = points.find((name) => this.closed.has(name));
    if (point === undefined) return;
    const gate = this.closed.get(point)!;
    this.closed.delete(point);
    await gate.arrive();
  }
}
