/** Compares the facts that several sources of a turn state, source by source (rules D1 to D8); `fact-tables.ts` lists these facts. */
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
import { AdmissionComparison } from './admission-comparison';
import { DecisionComparison } from './decision-comparison';
import { DefinitionComparison } from './definition-comparison';
import { HistoryComparison } from './history-comparison';
import { RunComparison } from './run-comparison';
import { TurnResults } from './turn-results';
import { TranscriptComparison } from './transcript-comparison';
import { ResultComparison } from './result-comparison';

/** Refs of the lines so far. */
interface Refs {
  parts: ReadonlySet<string>;
  blocks: ReadonlySet<string>;
  objects: ReadonlySet<string>;
}

export class RepeatedFactChecks {
  private readonly all: SourceComparison;
  private readonly inHistory: HistoryComparison;
  private readonly inTranscript: TranscriptComparison;
  private readonly inDecisions: DecisionComparison;
  private readonly turnInHistory: TurnInHistory;
  private readonly turnInTranscript: TurnInTranscript;
  private readonly steers: Steers;
  private readonly subAgents: SubAgents;
  private readonly inRuns: RunComparison;
  private readonly inView: ResultComparison;
  private readonly storedDecisions: StoredDecisions;
  private readonly inDefinition: DefinitionComparison;
  private readonly inAdmission: AdmissionComparison;
  private readonly results: TurnResults;

  constructor(turn: TurnBody, history: History, blocks: Blocks, { definitions, children }: BundleContext) {
    this.all = new SourceComparison(history);
    this.inHistory = new HistoryComparison(this.all, turn, history);
    this.inTranscript = new TranscriptComparison(this.all, history, blocks);
    this.inDecisions = new DecisionComparison(this.all, history, blocks, definitions);
    this.turnInHistory = new TurnInHistory(this.all, history, turn, children);
    this.turnInTranscript = new TurnInTranscript(this.all, history, blocks, definitions);
    this.steers = new Steers(this.all, history, blocks);
    this.subAgents = new SubAgents(this.all, history, blocks, turn, children);
    this.inRuns = new RunComparison(this.all, history);
    this.inView = new ResultComparison(this.all, history);
    this.storedDecisions = new StoredDecisions(this.all, history);
    this.inDefinition = new DefinitionComparison(this.all, blocks, definitions);
    this.inAdmission = new AdmissionComparison(this.all, turn, history, definitions);
    this.results = new TurnResults(this.all, definitions);
  }

  beginRun(run: RunBody): void {
    this.inHistory.beginRun(run);
    this.inDecisions.beginRun();
    this.turnInHistory.beginRun();
    this.steers.beginRun();
    this.subAgents.beginRun();
    this.inRuns.beginRun();
    this.inView.beginRun();
    this.storedDecisions.beginRun();
    this.inDefinition.beginRun();
    this.inAdmission.beginRun();
    this.results.beginRun();
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
    this.storedDecisions.event(event);
    this.inDefinition.event(event);
    this.inAdmission.event(event);
    this.results.event(event);
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
    const facts = { agent, tenant, ...(isOfSession ? { session_id: subject.id } : {}) };
    for (const [fact, value] of Object.entries(facts))
      if (this.all.facts.knows('turn', '', fact) && this.all.facts.knows('turn', '', 'requester'))
        this.all.addFacts('turn', '', { [fact]: value }, 'the first line');
  }
}
