/** Opens the folder of kept bundles that the settings name. */
import type { BundleArchive } from '../../audit/archive/bundle-archive';
import { ConfigError, type Config } from '../../config';

/** @throws ConfigError if no bundles are kept */
export async function openBundleArchive({ bundles }: Config): Promise<BundleArchive> {
  if (bundles === null) throw new ConfigError('HOLDFAST_BUNDLES is "off": no bundles are kept here; it must be a folder.');
  const { BundleArchive: Archive } = await import('../../audit/archive/bundle-archive.js');
  return new Archive(bundles);
}
