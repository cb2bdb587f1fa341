/** The report's style sheet: light and dark, on screen and on paper. Colours have a contrast of 4.5 to their background. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --ink: #1a1d21; --soft: #565d66; --line: #d4d9df; --raised: #f5f7f9; --link: #0b57a4;
  --good: #12632f; --good-ground: #e6f4ea; --warn: #7a4a00; --warn-ground: #fdf1d8; --bad: #a1161b; --bad-ground: #fde8e8;
  --model: #3c6eb4; --run: #2c7a53; --wait: #b7791f; --retry: #8a8f98; --people: #7b3fa0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --ink: #e8eaed; --soft: #a9b1bb; --line: #3a414a; --raised: #1d2228; --link: #8ab8f0;
    --good: #8fd6a6; --good-ground: #14301f; --warn: #f0c878; --warn-ground: #33270e; --bad: #f5a3a3; --bad-ground: #3a1718;
    --model: #7aa7e6; --run: #67bd8f; --wait: #e0a84a; --retry: #8f97a2; --people: #c79be6;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.5rem 4rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 2px solid var(--line); overflow-wrap: anywhere; }
h3 { font-size: 1.1rem; margin: 1.5rem 0 0.4rem; overflow-wrap: anywhere; }
h4, h5, h6 { font-size: 1rem; margin: 1.1rem 0 0.3rem; overflow-wrap: anywhere; }
p, ul { margin: 0.5rem 0; overflow-wrap: anywhere; }
ul { padding-left: 1.3rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
nav ol { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; list-style: none; padding: 0; margin: 0.5rem 0 1rem; }
nav a { display: inline-block; padding: 0.15rem 0; }
.notice { border-left: 6px solid var(--soft); background: var(--raised); padding: 0.6rem 1rem; margin: 0.8rem 0; border-radius: 4px; }
.notice .title { font-weight: 700; margin: 0; }
.notice.good { border-color: var(--good); background: var(--good-ground); } .notice.good .title { color: var(--good); }
.notice.warn { border-color: var(--warn); background: var(--warn-ground); } .notice.warn .title { color: var(--warn); }
.notice.bad { border-color: var(--bad); background: var(--bad-ground); } .notice.bad .title { color: var(--bad); }
dl { margin: 0.5rem 0; }
dl div { display: grid; grid-template-columns: 12rem 1fr; gap: 0.2rem 1rem; padding: 0.15rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace; font-size: 0.875rem; }
code { overflow-wrap: anywhere; }
figure { margin: 0.7rem 0; }
figcaption { color: var(--soft); font-size: 0.9rem; }
pre { margin: 0.2rem 0; padding: 0.6rem 0.8rem; background: var(--raised); border: 1px solid var(--line); border-radius: 4px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.scroll { overflow: auto; margin: 0.6rem 0; border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
caption { text-align: left; padding: 0.4rem 0.6rem; color: var(--soft); }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
th { background: var(--raised); white-space: nowrap; }
td { min-width: 4.5rem; }
details { margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 4px; }
summary { cursor: pointer; padding: 0.45rem 0.8rem; background: var(--raised); overflow-wrap: anywhere; }
.inside { padding: 0.2rem 0.8rem 0.6rem; }
.columns { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 2rem; }
.column dl div { grid-template-columns: 8rem 1fr; }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 36rem) { dl div { grid-template-columns: 1fr; gap: 0; } body { padding: 0.5rem 0.8rem 3rem; } }
.zoom { display: flex; gap: 0.4rem; align-items: center; color: var(--soft); font-size: 0.9rem; }
button { padding: 0 0.7rem; min-height: 2.2rem; font: inherit; color: var(--ink); background: var(--raised); border: 1px solid var(--soft); border-radius: 4px; cursor: pointer; }
svg { display: block; background: var(--ground); }
svg text { fill: var(--ink); font: 12px system-ui, 'Liberation Sans', sans-serif; }
svg .tick, svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--line); }
svg a text { fill: var(--link); text-decoration: underline; }
svg .model { fill: var(--model); } svg .run { fill: var(--run); } svg .retry { fill: var(--retry); }
svg .wait { stroke: var(--wait); } svg .hatch { stroke: var(--wait); }
svg .lost { fill: none; stroke: var(--bad); stroke-dasharray: 4 3; }
svg .mark { fill: var(--ground); stroke: var(--people); stroke-width: 2; }
svg .mark.effect { stroke: var(--run); } svg .mark.trouble { stroke: var(--bad); }
svg text.sign { font-weight: 700; text-anchor: middle; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, .zoom, .skip { display: none; }
  .scroll { overflow: visible; border: none; }
  svg { width: 100%; height: auto; }
  pre, tr, dl div { break-inside: avoid-page; }
  pre { break-inside: auto; }
  h2, h3, h4, summary, figcaption { break-after: avoid-page; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .columns { display: block; }
}
`;
