/** Opens the folder of kept bundles that the settings name. */
import type { KeptBundles } from '../../audit/kept/folder';
import { ConfigError, type Config } from '../../config';

/** @throws ConfigError if no bundles are kept */
export async function openKeptBundles({ bundles }: Config): Promise<KeptBundles> {
  if (bundles === null) throw new ConfigError('HOLDFAST_BUNDLES is "off": no bundles are kept here; it must be a folder.');
  const { KeptBundles: Kept } = await import('../../audit/kept/folder.js');
  return new Kept(bundles);
}
