/** Reads EDGAR's answers: JSON, checked against a schema, and documents, as text. */
import type { z } from 'zod';
import type { ToolError } from 'holdfast/tools';
import { badAnswer } from './failures';
import type { EdgarHttp } from './http';

export interface SourcedAnswer<T> {
  value: T;
  /** For `source`: the address, and when it was fetched or validated. */
  source: string;
  /** Date of the fetch or validation, `YYYY-MM-DD`. */
  asOf: string;
}

export class EdgarReader {
  constructor(private readonly http: EdgarHttp) {}

  /** @throws ToolError `bad_upstream_answer` if the answer is not JSON of this shape; failures.ts; `absent()` for a 404 */
  async json<S extends z.ZodType>(
    url: string,
    shape: S,
    absent: () => ToolError,
    signal?: AbortSignal,
  ): Promise<SourcedAnswer<z.output<S>>> {
    const { body, checked } = await this.http.get({ url, absent }, signal);
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      throw badAnswer(url, `it is not JSON but begins with ${JSON.stringify(body.toString('utf8', 0, 60))}`);
    }
    const fit = shape.safeParse(value);
    if (!fit.success) {
      const { path, message } = fit.error.issues[0]!;
      throw badAnswer(url, `${path.join('.').slice(0, 100) || 'the whole'}: ${message.slice(0, 200)}`);
    }
    return { value: fit.data, source: `${url}, validated ${checked}`, asOf: checked.slice(0, 10) };
  }

  /** A document of a filing, which never changes. */
  async document(url: string, absent: () => ToolError, signal?: AbortSignal): Promise<SourcedAnswer<string>> {
    const { body, checked } = await this.http.get({ url, unchanging: true, absent }, signal);
    return { value: textOf(body), source: `${url}, fetched ${checked}`, asOf: checked.slice(0, 10) };
  }
}

/** UTF-8, otherwise Windows-1252, as in old filings. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return new TextDecoder('windows-1252').decode(body);
  }
}
