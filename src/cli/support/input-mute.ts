/**
 * Mutes the terminal's input while something runs and no question is open. What is typed then is dropped: otherwise it would answer
 * the next question, and a "y" typed too early would approve a call that nobody has read. Ctrl-C, Ctrl-D and Ctrl-Z still work.
 */
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_Z = 0x1a;

export class InputMute {
  private listening = false;

  constructor(private readonly onEnd: () => void) {}

  on(): void {
    if (this.listening || !process.stdin.isTTY) return;
    this.listening = true;
    process.stdin.setRawMode(true);
    process.stdin.on('data', this.onData);
    process.stdin.resume();
  }

  off(): void {
    if (!this.listening) return;
    this.listening = false;
    process.stdin.off('data', this.onData);
    process.stdin.pause();
    process.stdin.setRawMode(false);
  }

  private readonly onData = (bytes: Buffer): void => {
    if (bytes.includes(CTRL_C)) process.kill(process.pid, 'SIGINT');
    if (bytes.includes(CTRL_D)) this.onEnd();
    if (bytes.includes(CTRL_Z)) this.suspend();
  };

  private suspend(): void {
    process.stdin.setRawMode(false);
    process.once('SIGCONT', () => this.listening && process.stdin.setRawMode(true));
    process.kill(process.pid, 'SIGTSTP');
  }
}
