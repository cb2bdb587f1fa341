/** A line of `holdfast doctor`. */
export interface Finding {
  what: string;
  ok: boolean;
  /** It may be meant so, but the operator should look at it. */
  warning?: true;
  detail: string;
  /** What mends it; absent: nothing has to be done, or the detail says it. */
  todo?: string;
}

export function fine(what: string, detail: string): Finding {
  return { what, ok: true, detail };
}

export function warn(what: string, detail: string, todo: string): Finding {
  return { what, ok: true, warning: true, detail, todo };
}

export function fault(what: string, detail: string, todo: string): Finding {
  return { what, ok: false, detail, todo };
}

export function findingLine({ what, ok, warning, detail, todo }: Finding): string {
  const line = `${warning ? '!' : ok ? '✓' : '✗'} ${what.padEnd(18)} ${detail}`;
  return todo === undefined ? line : `${line}\n  ${' '.repeat(18)} → ${todo}`;
}
