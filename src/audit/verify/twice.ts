/** Compares the facts that several sources of a turn state, source by source (rules D1 to D8); `doubled.ts` lists these facts. */
import type { JsonObject } from '../../shared/json/json';
import type { BlockBody, BundleBody, PartBody, RunBody, TurnBody } from '../format/lines';
import type { BundleContext, Blocks } from './blocks';
import type { History, Report } from './history';
import { StoredDecisions } from './stored-decisions';
import { Steers } from './steers';
import { SubAgents } from './sub-agents';
import { SourceComparison } from './source-comparison';
import { TurnInHistory } from './turn-in-history';
import { TurnInTranscript } from './turn-in-transcript';
import { TwiceInAdmission } from './twice-in-admission';
import { TwiceInDecisions } from './twice-in-decisions';
import { TwiceInDefinition } from './twice-in-definition';
import { TwiceInHistory } from './twice-in-history';
import { TwiceInRuns } from './twice-in-runs';
import { TwiceInTranscript } from './twice-in-transcript';
import { TwiceInView } from './twice-in-view';

/** Refs of the lines so far. */
interface Refs {
  parts: ReadonlySet<string>;
  blocks: ReadonlySet<string>;
  objects: ReadonlySet<string>;
}

export class RepeatedFactChecks {
  private readonly all: SourceComparison;
  private readonly inHistory: TwiceInHistory;
  private readonly inTranscript: TwiceInTranscript;
  private readonly inDecisions: TwiceInDecisions;
  private readonly turnInHistory: TurnInHistory;
  private readonly turnInTranscript: TurnInTranscript;
  private readonly steers: Steers;
  private readonly subAgents: SubAgents;
  private readonly inRuns: TwiceInRuns;
  private readonly inView: TwiceInView;
  private readonly keptSaid: StoredDecisions;
  private readonly inDefinition: TwiceInDefinition;
  private readonly inAdmission: TwiceInAdmission;

  constructor(turn: TurnBody, history: History, blocks: Blocks, { definitions, children }: BundleContext) {
    this.all = new SourceComparison(history);
    this.inHistory = new TwiceInHistory(this.all, turn, history);
    this.inTranscript = new TwiceInTranscript(this.all, history, blocks);
    this.inDecisions = new TwiceInDecisions(this.all, history, blocks, definitions);
    this.turnInHistory = new TurnInHistory(this.all, history, turn, children);
    this.turnInTranscript = new TurnInTranscript(this.all, history, blocks, definitions);
    this.steers = new Steers(this.all, history, blocks);
    this.subAgents = new SubAgents(this.all, history, blocks, turn, children);
    this.inRuns = new TwiceInRuns(this.all, history);
    this.inView = new TwiceInView(this.all, history);
    this.keptSaid = new StoredDecisions(this.all, history);
    this.inDefinition = new TwiceInDefinition(this.all, blocks, definitions);
    this.inAdmission = new TwiceInAdmission(this.all, turn, history, definitions);
  }

  beginRun(run: RunBody): void {
    this.inHistory.beginRun(run);
    this.inDecisions.beginRun();
    this.turnInHistory.beginRun();
    this.steers.beginRun();
    this.subAgents.beginRun();
    this.inRuns.beginRun();
    this.inView.beginRun();
    this.keptSaid.beginRun();
    this.inDefinition.beginRun();
    this.inAdmission.beginRun();
  }

  event(event: JsonObject, report: Report): void {
    this.all.report = report;
    this.inHistory.event(event);
    this.inDecisions.event(event);
    this.turnInHistory.event(event);
    this.steers.event(event);
    this.subAgents.event(event);
    this.inRuns.event(event);
    this.inView.event(event);
    this.keptSaid.event(event);
    this.inDefinition.event(event);
    this.inAdmission.event(event);
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
    this.inRuns.part(part);
    this.inDefinition.part(part);
  }

  block(block: BlockBody, report: Report): void {
    this.all.report = report;
    this.inTranscript.block(block);
    this.inDecisions.block(block);
    this.turnInTranscript.block(block);
    this.steers.block(block);
    this.subAgents.block(block);
    this.inDefinition.block(block);
  }

  effect(record: JsonObject, report: Report): void {
    this.all.report = report;
    this.inTranscript.effect(record);
  }

  /** D7, for a turn that is not complete. */
  checkNamedParts({ parts }: Refs, report: Report): void {
    this.all.report = report;
    this.inTranscript.checkNamedParts(parts);
  }

  end(refs: Refs, report: Report): void {
    this.all.report = report;
    this.inTranscript.end(refs);
    this.subAgents.end();
    this.inAdmission.end(refs);
  }

  /** D1: compares the bundle's first line with its first turn; facts unknown of the turn are skipped. */
  first({ subject, agent, tenant }: BundleBody, { turn_id }: TurnBody, report: Report): void {
    this.all.report = report;
    const isOfSession = subject.kind === 'session';
    if (!isOfSession && subject.id !== turn_id) report('D1', 'The bundle is of another turn than it says');
    const said = { agent, tenant, ...(isOfSession ? { session_id: subject.id } : {}) };
    for (const [fact, value] of Object.entries(said))
      if (this.all.facts.knows('turn', '', fact) && this.all.facts.knows('turn', '', 'requester'))
        this.all.tell('turn', '', { [fact]: value }, 'the first line');
  }
}
