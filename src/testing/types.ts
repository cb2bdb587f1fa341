/** Types of a tool test: what it takes, and what it finds. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test without a typed tool takes any input, which the tool's schema checks
export interface ToolTest<I = any> {
  /** An input that the tool accepts, or a function that makes one; it is called for every run with another key. */
  input: I | (() => I | Promise<I>);
  /** How many effects there have been until now, read from the other side itself. */
  effects(): number | Promise<number>;
  /** Where another process, which is killed while it runs the tool, finds it: a file, and its export (`default`). */
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
  /** What the test has observed. */
  seen: string;
}
