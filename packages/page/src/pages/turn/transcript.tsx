/** The transcript of a turn, as the store has it. */
import { readTranscript } from '../../api/transcript';
import { when } from '../../lib/format';
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
        {data?.map(({ kind, at, by, text, value }) => (
          <li class={kind}>
            <p class="row-facts">
              <strong>
                <Words of={by ?? kind} />
              </strong>
              <span class="soft">{kind}</span>
              {at && <time dateTime={at}>{when(at)}</time>}
            </p>
            {text && <Lines of={text} />}
            {value !== undefined && value !== null && <Value of={value} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
