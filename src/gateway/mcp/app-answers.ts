/**
 * Asks the app's functions for prompts, resources and completions. They run in this process: each has a time limit, and what one
 * throws or gives that cannot be sent is told to the log, not to the client.
 */
import type { McpDefinition } from '../../agents/mcp';
import { within } from '../../tools/admit/hooks';
import type { Principal } from '../auth/principals';
import { sdk } from './sdk';
import type { ToolLogger } from '../../tools/define/tool';
import type { McpAsker } from '../../agents/mcp-asks';

const ANSWER_WITHIN_MS = 10_000;
/** Characters of one answer, as JSON. */
const MOST_ANSWER = 1_000_000;
/** Entries of one page of a list. */
const PAGE = 200;
/** Requests of one session that the app has not answered. */
const MOST_OPEN = 8;

export interface AppParts {
  mcp: McpDefinition;
  /** As of now: roles may change. */
  asker(): McpAsker;
  log: ToolLogger;
}

export function askerOf({ name, tenant, roles }: Principal, agent: string | undefined): McpAsker {
  return { principal: name, tenant, roles: [...roles], agent: agent ?? null };
}

interface Seen {
  visibleTo?(asker: McpAsker): boolean;
}

export class AppAnswers {
  private open = 0;

  constructor(private readonly parts: AppParts) {}

  get mcp(): McpDefinition {
    return this.parts.mcp;
  }

  /** Of a list, what whoever asks may see. Where `visibleTo` throws, or gives anything but true, that is nothing. */
  visible<T extends Seen>(entries: readonly T[] = []): T[] {
    const asker = this.parts.asker();
    return entries.filter((entry) => {
      if (entry.visibleTo === undefined) return true;
      try {
        return entry.visibleTo(asker) === true;
      } catch (error) {
        this.parts.log.error({ err: error, todo: MEND }, 'visibleTo threw: what it is about is not offered');
        return false;
      }
    });
  }

  /**
   * What a function of the app gives.
   * @param read makes the result of it; throws Error that says why it is none
   * @throws McpError
   */
  async ask<A, R>(what: string, work: (asker: McpAsker) => A | Promise<A>, read: (answer: A) => R): Promise<R> {
    const { ErrorCode, McpError } = sdk.types();
    if (this.open >= MOST_OPEN)
      throw new McpError(
        ErrorCode.InternalError,
        `${MOST_OPEN} requests of this session wait for the app; wait for one of them.`,
      );
    this.open += 1;
    const asker = this.parts.asker();
    try {
      const result = read(await within(ANSWER_WITHIN_MS, () => work(asker)));
      const length = JSON.stringify(result).length;
      if (length > MOST_ANSWER) throw new Error(`it has ${length} characters as JSON; at most ${MOST_ANSWER} are sent`);
      return result;
    } catch (error) {
      this.parts.log.error({ err: error, what, todo: MEND }, 'the app could not answer an MCP client');
      throw new McpError(ErrorCode.InternalError, `This ${what} could not be given; the log of the server says why.`);
    } finally {
      this.open -= 1;
    }
  }
}

const MEND = 'Mend the function of defineApp({ mcp }) that the error names.';

/** One page of a list, and where the next begins. @throws McpError for a cursor that this server has not given */
export function pageOf<T>(entries: readonly T[], cursor: string | undefined): { page: T[]; nextCursor?: string } {
  if (cursor !== undefined && !/^\d{1,6}$/.test(cursor)) throw invalidParams('The cursor is none that this server gave.');
  const from = Number(cursor ?? 0);
  const page = entries.slice(from, from + PAGE);
  return { page, ...(from + PAGE < entries.length ? { nextCursor: String(from + PAGE) } : {}) };
}

export function invalidParams(message: string): Error {
  const { ErrorCode, McpError } = sdk.types();
  return new McpError(ErrorCode.InvalidParams, message);
}

/** A text of a client's, short enough for an error. */
export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100).toWellFormed());
}
