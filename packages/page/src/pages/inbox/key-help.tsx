/** The keys of the inbox, for people. */
import { Dialog } from '../../parts/dialog';
import { setSingleKeys, singleKeys } from '../../state/single-keys';
import { KEY_HELP } from './keys';

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <label class="switch">
        <input type="checkbox" checked={singleKeys.value} onChange={({ currentTarget: { checked } }) => setSingleKeys(checked)} />
        <span>Keys of one character do something</span>
      </label>
      <dl class="keys">
        {KEY_HELP.map(({ keys, does }) => (
          <div>
            <dt>
              {keys.map((key) => (
                <kbd>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
