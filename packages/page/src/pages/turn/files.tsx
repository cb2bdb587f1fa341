/** The files that the turn's tools made. A link saves a file; nothing of it is opened in the page. */
import { useEffect } from 'preact/hooks';
import { addressOf } from '../../api/http';
import { readFiles } from '../../api/turns';
import { bytes } from '../../lib/format';
import { Empty, ErrorNotice, Notice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';

/** A link works for an hour: the list is read again before. */
const READ_AGAIN_MS = 45 * 60_000;

export function Files({ turn, revision }: { turn: string; revision: string }) {
  const { data, error, reload } = useLoad(`${turn} ${revision}`, () => readFiles(turn));
  useEffect(() => {
    const timer = setInterval(reload, READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <section>
      <h2>Files</h2>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.files.length === 0 && <Empty>The tools of this turn have made no files.</Empty>}
      <ul class="files">
        {data?.files.map(({ ref, url, filename, content_type, size, call_id, tool }) => (
          <li key={ref}>
            <a href={addressOf(url.replace(/^\//, ''))} download={filename}>
              <Words of={filename} />
            </a>
            <p class="row-facts">
              <span>{bytes(size)}</span>
              <span>
                <Words of={content_type} />
              </span>
              <span>
                made by <Words of={tool} />, call <Words of={call_id} />
              </span>
            </p>
          </li>
        ))}
      </ul>
      {data !== null && data.files.length > 0 && (
        <p class="hint">
          A tool made these files, perhaps from text of outsiders. Open them with the care that you give to mail.
        </p>
      )}
      {data?.complete === false && <Notice>The turn has more files than are listed here. Its bundle has all of them.</Notice>}
    </section>
  );
}
