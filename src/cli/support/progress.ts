/** Shows progress as one line on a terminal, which is overwritten; shows nothing elsewhere. */
const EVERY_MS = 100;
const CLEAR = '\r\x1b[K';

export class Progress {
  private last = 0;
  private isShown = false;

  /** @param to null: progress is not shown */
  constructor(private readonly to: NodeJS.WriteStream | null) {}

  show(text: string): void {
    const now = Date.now();
    if (!this.to?.isTTY || now - this.last < EVERY_MS) return;
    this.last = now;
    this.isShown = true;
    this.to.write(`${CLEAR}${text}`);
  }

  end(): void {
    if (this.isShown) this.to!.write(CLEAR);
    this.isShown = false;
  }
}
