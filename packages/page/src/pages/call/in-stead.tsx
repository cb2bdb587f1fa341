/** For whom a deputy approves. Nothing where the person is nobody's deputy for this call. */
import { Words } from '../../parts/text';

interface InSteadProps {
  steads: readonly string[];
  /** The person may approve in their own name too. */
  mayAlone: boolean;
  /** Empty: for nobody else. */
  chosen: string;
  onChoice: (person: string) => void;
}

export function InStead({ steads, mayAlone, chosen, onChoice }: InSteadProps) {
  if (steads.length === 0) return null;
  const choices = [...(mayAlone ? [''] : []), ...steads];
  if (choices.length === 1)
    return (
      <p>
        You decide for{' '}
        <strong>
          <Words of={steads[0]!} />
        </strong>
        .
      </p>
    );
  return (
    <fieldset>
      <legend>You decide for</legend>
      {choices.map((person) => (
        <label key={person}>
          <input type="radio" name="in-stead" checked={chosen === person} onChange={() => onChoice(person)} />{' '}
          {person === '' ? 'yourself' : <Words of={person} />}
        </label>
      ))}
    </fieldset>
  );
}
