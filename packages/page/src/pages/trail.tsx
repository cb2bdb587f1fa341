/** The trail: who did what at this installation. */
import { readTrail } from '../api/agents';
import { Title } from '../parts/layout';
import { ErrorNotice, Reading } from '../parts/notice';
import { Value } from '../parts/text';
import { useLoad } from '../parts/use-load';

export function TrailPage() {
  const { data, error, reload } = useLoad('trail', () => readTrail({}));
  return (
    <>
      <Title title="Trail">Trail</Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data && <Value of={data} />}
    </>
  );
}
