/** What stands twice in a turn is compared, source by source (rules D1 to D8); which facts those are, `doubled.ts` says. */
import type { JsonObject } from '../../shared/json';
import type { BlockBody, PartBody, RunBody, TurnBody } from '../format/lines';
import type { Blocks } from './blocks';
import type { History, Report } from './history';
import { Testimony } from './testimony';
import { TwiceInDecisions } from './twice-in-decisions';
import { TwiceInHistory } from './twice-in-history';
import { TwiceInTranscript } from './twice-in-transcript';

export class Twice {
  private readonly all: Testimony;
  private readonly inHistory: TwiceInHistory;
  private readonly inTranscript: TwiceInTranscript;
  private readonly inDecisions: TwiceInDecisions;

  constructor(turn: TurnBody, history: History, blocks: Blocks, definitions: ReadonlyMap<string, JsonObject>) {
    this.all = new Testimony(history);
    this.inHistory = new TwiceInHistory(this.all, turn, history);
    this.inTranscript = new TwiceInTranscript(this.all, history, blocks);
    this.inDecisions = new TwiceInDecisions(this.all, history, blocks, definitions);
  }

  beginRun(run: RunBody): void {
    this.inHistory.beginRun(run);
    this.inDecisions.beginRun();
  }

  event(event: JsonObject, report: Report): void {
    this.all.report = report;
    this.inHistory.event(event);
    this.inDecisions.event(event);
  }

  session(event: JsonObject, report: Report): void {
    this.all.report = report;
    this.inHistory.session(event);
  }

  part(part: PartBody, report: Report): void {
    this.all.report = report;
    this.inTranscript.part(part);
    this.inDecisions.part(part);
  }

  block(block: BlockBody, report: Report): void {
    this.all.report = report;
    this.inTranscript.block(block);
    this.inDecisions.block(block);
  }

  effect(record: JsonObject, report: Report): void {
    this.all.report = report;
    this.inTranscript.effect(record);
  }

  end(refs: { parts: ReadonlySet<string>; blocks: ReadonlySet<string> }, report: Report): void {
    this.all.report = report;
    this.inTranscript.end(refs);
  }
}
