/** A page whose subject is being read, or cannot be read. */
import type { ApiError } from '../api/http';
import { Title } from './layout';
import { ErrorNotice, Reading } from './notice';
import { Words } from './text';

interface Props {
  title: string;
  what: string;
  error: ApiError | null;
  retry: () => void;
}

export function PendingPage({ title, what, error, retry }: Props) {
  return (
    <>
      <Title title={title}>
        <Words of={title} />
      </Title>
      {error ? <ErrorNotice error={error} retry={retry} /> : <Reading what={what} />}
    </>
  );
}
