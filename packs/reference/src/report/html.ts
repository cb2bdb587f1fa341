/** Renders a report as one HTML page without scripts or external resources, with a content security policy that forbids both. */
import { markdown } from './markdown';
import type { Report } from './report';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.25rem .6rem;text-align:left}
pre{background:#f4f4f4;padding:.75rem;overflow-x:auto}code{font-family:ui-monospace,monospace}
blockquote{margin:0;padding-left:1rem;border-left:3px solid #bbb}
@media print{@page{margin:2cm;@bottom-center{content:counter(page) " / " counter(pages)}}}`;

export function toHtml({ title, content }: Report): Buffer {
  const name = markdown.utils.escapeHtml(title);
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${name}</h1>
${markdown.render(content)}</body>
</html>
`);
}
