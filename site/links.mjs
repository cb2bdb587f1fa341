/** Looks through a built site for links, within it, to pages or parts of pages that are not there. VitePress itself checks no parts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** @param {string} folder of the site @returns {string[]} `page: link`, for each */
export function linkFaults(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'));
  const pages = new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]));
  const anchors = new Map([...pages].map(([name, html]) => [name, new Set(attributes(html, 'id'))]));
  return [...pages].flatMap(([page, html]) =>
    [...attributes(html, 'href'), ...attributes(html, 'src')]
      .filter((href) => !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(href))
      .filter((href) => !leadsSomewhere(page, href))
      .map((href) => `${page}: ${href}`),
  );

  function leadsSomewhere(page, href) {
    const [path, anchor = ''] = href.split('#');
    const target =
      path === '' ? page : posix.join('/', path.startsWith('/') ? '' : posix.dirname(page), path).slice(1) || 'index.html';
    const file = decodeURIComponent(target.endsWith('/') ? `${target}index.html` : target);
    if (!existsSync(join(folder, file))) return false;
    return anchor === '' || (anchors.get(file)?.has(decodeURIComponent(anchor)) ?? false);
  }
}

function attributes(html, name) {
  const values = html.matchAll(new RegExp(`<[^>]*?\\s${name}="([^"]*)"`, 'g'));
  return [...values].map(([, value]) => value.replaceAll('&amp;', '&'));
}
