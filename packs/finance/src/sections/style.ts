/** Reads the style of an HTML element from its name and attributes, as far as headings, pages and hidden parts need it. */

export interface Style {
  isHidden: boolean;
  /** Null: as the element around it. */
  bold: boolean | null;
  breakBefore: boolean;
  breakAfter: boolean;
}

const BOLD_ELEMENTS = new Set(['b', 'strong', 'th', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
/**
 * Elements whose text a page does not show. `ix:header` and `ix:hidden` contain inline XBRL's contexts and facts, which readers do
 * not see.
 */
const HIDDEN_ELEMENTS = new Set(
  'head iframe ix:header ix:hidden math noembed noframes noscript object plaintext script select style svg template textarea title xmp'.split(
    ' ',
  ),
);
const PLAIN: Style = { isHidden: false, bold: null, breakBefore: false, breakAfter: false };

/** Makes a reader for one document. It caches styles: the same few occur tens of thousands of times. */
export function styleReader(): (element: string, attributes: Record<string, string>) => Style {
  const cache = new Map<string, Style>();
  return (element, { style }) => {
    let inline = PLAIN;
    if (style) {
      inline = cache.get(style) ?? parse(style);
      cache.set(style, inline);
    }
    const isHidden = inline.isHidden || HIDDEN_ELEMENTS.has(element);
    const bold = inline.bold ?? (BOLD_ELEMENTS.has(element) ? true : null);
    return isHidden === inline.isHidden && bold === inline.bold ? inline : { ...inline, isHidden, bold };
  };
}

function parse(css: string): Style {
  const style = { ...PLAIN };
  for (const declaration of css.toLowerCase().split(';')) {
    const colon = declaration.indexOf(':');
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).trim();
    switch (declaration.slice(0, colon).trim()) {
      case 'display':
        style.isHidden = value.startsWith('none');
        break;
      case 'font-weight':
        style.bold = value.startsWith('bold') || Number.parseInt(value, 10) >= 600;
        break;
      case 'font':
        style.bold = value.split(/\s/, 4).includes('bold');
        break;
      case 'page-break-before':
      case 'break-before':
        style.breakBefore = value.startsWith('always') || value.startsWith('page');
        break;
      case 'page-break-after':
      case 'break-after':
        style.breakAfter = value.startsWith('always') || value.startsWith('page');
        break;
    }
  }
  return style;
}
