/** The report's only script: it sizes pictures, and opens folds for links into them and for printing. It reads only the page. */
export const SCRIPT = `
(() => {
  'use strict';
  for (const box of document.querySelectorAll('[data-picture]')) {
    const svg = box.querySelector('svg');
    const width = Number(svg.getAttribute('width'));
    const height = Number(svg.getAttribute('height'));
    let zoom = 1;
    const show = (next) => {
      zoom = Math.min(8, Math.max(0.25, next));
      svg.setAttribute('width', String(width * zoom));
      svg.setAttribute('height', String(height * zoom));
    };
    const act = { in: () => show(zoom * 1.25), out: () => show(zoom / 1.25), reset: () => show(1) };
    for (const button of box.parentElement.querySelectorAll('[data-zoom]'))
      button.addEventListener('click', () => act[button.dataset.zoom]());
    box.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const does = { '+': 'in', '=': 'in', '-': 'out', '0': 'reset' }[event.key];
      if (does === undefined) return;
      event.preventDefault();
      act[does]();
    });
  }
  const reveal = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target === null) return;
    for (let at = target; at !== null; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const fold of opened) fold.open = true;
  });
  addEventListener('afterprint', () => {
    for (const fold of opened) fold.open = false;
  });
})();
`;
