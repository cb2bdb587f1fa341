/** Files in a message: images as thumbnails, others to be saved. The gateway sends neither so that a browser would run anything of it. */
import type { FileOfMessage } from '../../../../src/shapes/message';
import { addressOf } from '../api/http';
import { Words } from './text';

export function MessageFiles({ files }: { files: readonly FileOfMessage[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="message-files">
      {files.map((file) => (
        <li key={file.file}>
          <a href={addressOf(`v1/files/${encodeURIComponent(file.file)}`)} download={file.name}>
            {file.type === 'image' && <img src={addressOf(`v1/files/${encodeURIComponent(file.file)}`)} alt="" loading="lazy" />}
            <Words of={file.name} />
          </a>
          <span class="soft">
            {file.media_type}, {file.size.toLocaleString('en-US')} bytes
          </span>
        </li>
      ))}
    </ul>
  );
}
