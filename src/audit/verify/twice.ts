/** What stands twice in a turn is compared, source by source (rules D1 to D8); which facts those are, `doubled.ts` says. */
import type { JsonObject } from '../../shared/json';
import type { BlockBody, PartBody, RunBody, TurnBody } from '../format/lines';
import type { Around, Blocks } from './blocks';
import type { History, Report } from './history';
import { Steers } from './steers';
import { SubAgents } from './sub-agents';
import { Testimony } from './testimony';
import { TurnInHistory } from './turn-in-history';
import { TurnInTranscript } from './turn-in-transcript';
import { TwiceInDecisions } from './twice-in-decisions';
import { TwiceInHistory } from './twice-in-history';
import { TwiceInTranscript } from './twice-in-transcript';

export class Twice {
  private readonly all: Testimony;
  private readonly inHistory: TwiceInHistory;
  private readonly inTranscript: TwiceInTranscript;
  private readonly inDecisions: TwiceInDecisions;
  private readonly turnInHistory: TurnInHistory;
  private readonly turnInTranscript: TurnInTranscript;
  private readonly steers: Steers;
  private readonly subAgents: SubAgents;

  constructor(turn: TurnBody, history: History, blocks: Blocks, { definitions, children }: Around) {
    this.all = new Testimony(history);
    this.inHistory = new TwiceInHistory(this.all, turn, history);
    this.inTranscript = new TwiceInTranscript(this.all, history, blocks);
    this.inDecisions = new TwiceInDecisions(this.all, history, blocks, definitions);
    this.turnInHistory = new TurnInHistory(this.all, history, turn, children);
    this.turnInTranscript = new TurnInTranscript(this.all, history, blocks, definitions);
    this.steers = new Steers(this.all, history, blocks);
    this.subAgents = new SubAgents(this.all, history, blocks, turn, children);
  }

  beginRun(run: RunBody): void {
    this.inHistory.beginRun(run);
    this.inDecisions.beginRun();
    this.turnInHistory.beginRun();
    this.steers.beginRun();
    this.subAgents.beginRun();
  }

  event(event: JsonObject, report: Report): void {
    this.all.report = report;
    this.inHistory.event(event);
    this.inDecisions.event(event);
    this.turnInHistory.event(event);
    this.steers.event(event);
    this.subAgents.event(event);
  }

  session(event: JsonObject, report: Report): void {
    this.all.report = report;
    this.inHistory.session(event);
    this.turnInHistory.session(event);
  }

  part(part: PartBody, report: Report): void {
    this.all.report = report;
    this.inTranscript.part(part);
    this.inDecisions.part(part);
    this.turnInTranscript.part(part);
    this.steers.part(part);
    this.subAgents.part(part);
  }

  block(block: BlockBody, report: Report): void {
    this.all.report = report;
    this.inTranscript.block(block);
    this.inDecisions.block(block);
    this.turnInTranscript.block(block);
    this.steers.block(block);
    this.subAgents.block(block);
  }

  effect(record: JsonObject, report: Report): void {
    this.all.report = report;
    this.inTranscript.effect(record);
  }

  end(refs: { parts: ReadonlySet<string>; blocks: ReadonlySet<string> }, report: Report): void {
    this.all.report = report;
    this.inTranscript.end(refs);
    this.subAgents.end();
  }
}
