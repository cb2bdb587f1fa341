/** The transcript of a turn, block by block, as the store has it. */
import type { ComponentChildren } from 'preact';
import { readTranscript, type TranscriptEntry } from '../../api/transcript';
import { stateInWords, when } from '../../lib/format';
import { MessageFiles } from '../../parts/message-files';
import { Empty, ErrorNotice, Reading } from '../../parts/notice';
import { Lines, Value, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';

export function Transcript({ turn, revision }: { turn: string; revision: string }) {
  const { data, error, reload } = useLoad(`${turn} ${revision}`, () => readTranscript(turn));
  return (
    <section>
      <h2>Transcript</h2>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.length === 0 && <Empty>Nothing has been said yet.</Empty>}
      <ol class="transcript">
        {data?.map((entry) => (
          <li key={entry.block}>
            <p class="row-facts">
              <strong>{title(entry)}</strong>
              <time dateTime={entry.at}>{when(entry.at)}</time>
            </p>
            <Body entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  );
}

const FROM = { requester: 'asked', steering: 'added', parent: 'gave the task', model: 'the model', tools: 'results of calls' };

function title(entry: TranscriptEntry): ComponentChildren {
  switch (entry.kind) {
    case 'message':
      return entry.by === null ? (
        capital(FROM[entry.from])
      ) : (
        <>
          <Words of={entry.by} /> {FROM[entry.from]}
        </>
      );
    case 'decision':
    case 'settlement':
      return (
        <>
          <Words of={entry.by ?? 'Nobody'} /> {entry.kind === 'decision' ? 'decided' : 'settled'}
        </>
      );
    default:
      return capital(TITLES[entry.kind]);
  }
}

const TITLES = {
  ...{ start: 'start', admission: 'what the rules said', dispatch: 'a call runs', effect: 'an effect' },
  ...{ summary: 'summary of the conversation so far', end: 'end', unreadable: 'a block that cannot be read' },
};

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function Body({ entry }: { entry: TranscriptEntry }) {
  switch (entry.kind) {
    case 'message':
      return (
        <>
          {entry.text !== '' && <Lines of={entry.text} />}
          {/* A gateway of an older build does not tell of files. */}
          <MessageFiles files={entry.files ?? []} />
          {entry.calls.map(({ call, tool, input }) => (
            <div class="asked">
              <p>
                Call <Words of={call ?? ''} /> of <Words of={tool} />
              </p>
              <Value of={input} />
            </div>
          ))}
          {entry.results.map(({ call, text, is_error }) => (
            <div class="asked">
              <p>
                {is_error ? 'Error' : 'Result'} of call <Words of={call ?? ''} />
              </p>
              <Lines of={text} />
            </div>
          ))}
          {entry.cut && <p class="soft">Long texts are cut here; the bundle has them.</p>}
        </>
      );
    case 'admission':
      return (
        <ul>
          {entry.asked && (
            <li class="soft">
              <Words of={`Answered by ${entry.asked}${entry.provider ? `, ${entry.provider}` : ''}`} />
            </li>
          )}
          {entry.passed.map(({ model, reason }) => (
            <li class="soft">
              <Words of={`${model} did not: ${reason}`} />
            </li>
          ))}
          {entry.calls.map(({ call, tool, verdict }) => (
            <li>
              <Words of={`${call ?? ''} ${tool ?? ''}: ${verdict ?? 'unknown'}`} />
            </li>
          ))}
        </ul>
      );
    case 'decision':
      return <Fact of={[entry.decision, entry.call, entry.tool]} note={entry.note} />;
    case 'settlement':
      return <Fact of={[entry.outcome, entry.call, entry.tool]} note={entry.note} />;
    case 'effect':
      return <Fact of={[entry.effect, entry.call, entry.tool]} note={null} />;
    case 'dispatch':
      return <Fact of={[entry.call, entry.tool]} note={null} />;
    case 'summary':
      return <Lines of={entry.text ?? ''} />;
    case 'start':
      return <Fact of={[entry.agent, entry.requester && `for ${entry.requester}`]} note={null} />;
    case 'end':
      return <Fact of={[entry.state && stateInWords(entry.state)]} note={entry.reason} />;
    case 'unreadable':
      return null;
    default:
      // A newer gateway may have further kinds.
      return null;
  }
}

function Fact({ of, note }: { of: (string | null)[]; note: string | null }) {
  return (
    <>
      <p>
        <Words of={of.filter(Boolean).join(', ')} />
      </p>
      {note && <Lines of={note} />}
    </>
  );
}
