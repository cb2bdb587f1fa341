/** `describe`, `it` and the hooks, as Jest has them, for tests that are run many times in one process (stryker-runner.mjs). */
import { createRequire } from 'node:module';

const { bind } = createRequire(import.meta.url)('jest-each');
/** The real timers, not a test's fake ones. */
const { setTimeout, clearTimeout } = globalThis;

/**
 * @param {{name: string, expect: object}} file its name, which begins the id of each test, and Jest's `expect`
 * @returns the globals of the file, and a function that runs the tests that the file has described while it loaded
 */
export function harness({ name, expect }) {
  const root = block(null, '');
  let open = root;
  const describe = (title, fill) => {
    const before = open;
    before.children.push((open = block(before, title)));
    try {
      fill();
    } finally {
      open = before;
    }
  };
  const it = (title, body) => void open.children.push({ title: String(title), body });
  const hook = (kind) => (body) => void open[kind].push(body);
  for (const [make, takesTests] of [
    [it, true],
    [describe, false],
  ]) {
    make.skip = () => undefined;
    make.skip.each = () => () => undefined;
    make.each = bind(make, takesTests);
  }
  const hooks = Object.fromEntries(['beforeAll', 'afterAll', 'beforeEach', 'afterEach'].map((kind) => [kind, hook(kind)]));
  const globals = { describe, it, test: it, expect, ...hooks };
  return { globals, run: (options) => new Run(name, expect, options).block(root, [], name) };
}

function block(parent, title) {
  return { parent, title: String(title), children: [], beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
}

class Run {
  results = [];
  failed = false;

  /**
   * @param options wanted: ids of the tests to run, null: all; bail: end after the first failure; onTest: gets the running test's
   *   id
   */
  constructor(name, expect, options) {
    Object.assign(this, { expect, ...options });
  }

  async block(of, above, path) {
    const chain = [...above, of];
    if (!this.hasTests(of, path)) return this.results;
    try {
      for (const hook of of.beforeAll) await this.bounded(hook);
    } catch (error) {
      this.fail(`${path} (before all)`, error, 0);
    }
    for (const child of of.children) {
      if (this.bail && this.failed) break;
      const id = `${path} › ${child.title}`;
      if (child.children) await this.block(child, chain, id);
      else if (!this.wanted || this.wanted.has(id)) await this.test(id, child, chain);
    }
    for (const hook of of.afterAll) await this.bounded(hook).catch((error) => this.fail(`${path} (after all)`, error, 0));
    return this.results;
  }

  hasTests(of, path) {
    return of.children.some((child) => {
      const id = `${path} › ${child.title}`;
      return child.children ? this.hasTests(child, id) : !this.wanted || this.wanted.has(id);
    });
  }

  async test(id, { body }, chain) {
    this.expect.setState({ assertionCalls: 0, currentTestName: id, numPassingAsserts: 0 });
    const began = performance.now();
    let fault = null;
    const attempt = (step) => this.bounded(step).catch((error) => void (fault ??= { error }));
    this.onTest(id);
    for (const of of chain) for (const hook of of.beforeEach) if (!fault) await attempt(hook);
    if (!fault) await attempt(body);
    for (const of of [...chain].reverse()) for (const hook of of.afterEach) await attempt(hook);
    const [missing] = this.expect.extractExpectedAssertionsErrors();
    if (missing) fault ??= missing;
    this.onTest(undefined);
    const ms = performance.now() - began;
    if (fault) this.fail(id, fault.error, ms);
    else this.results.push({ id, ms, error: null });
  }

  fail(id, error, ms) {
    this.failed = true;
    this.results.push({ id, ms, error: error instanceof Error ? error : new Error(String(error)) });
  }

  async bounded(step) {
    let timer;
    const late = new Promise((_, reject) => {
      const error = Object.assign(new Error(`it did not end within ${this.limitMs} ms`), { endless: true });
      timer = setTimeout(() => reject(error), this.limitMs);
    });
    try {
      await Promise.race([(async () => step())(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
