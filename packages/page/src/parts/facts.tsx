/** A list of facts, each with its name. */
import { Words } from './text';

export function Facts({ rows }: { rows: [name: string, value: string][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Words of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
