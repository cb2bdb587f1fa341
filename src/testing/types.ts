/** What a test of a tool takes, and what it finds. */
export interface ToolTest<I = any> {
  /** An input that the tool accepts, or what makes one: it is called for every run of another key. */
  input: I | (() => I | Promise<I>);
  /** How many effects there have been until now; asked of the other side itself. */
  effects(): number | Promise<number>;
  /** Where another process finds the tool, to be killed while it runs: a file, and its export (`default`). */
  module?: { path: string; export?: string };
  /** How often it is killed. @default 10 */
  kills?: number;
  /** Runs at once with one key. @default 5 */
  together?: number;
  /** How long the other side may take to count what it was sent, ms. @default 200 */
  settleMs?: number;
  /** How long a cancelled run may go on, ms. @default 5000, after which the engine gives it up */
  cancelMs?: number;
}

export interface Claim {
  claim: string;
  held: boolean;
  /** What was seen. */
  seen: string;
}
