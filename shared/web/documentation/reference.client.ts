/** Runs in the browser: draws the reference with Redoc, in the colors of the browser's scheme. */

interface Redoc {
  init: (specUrl: string, options: object, element: Element, done: (error?: Error) => void) => void;
}

declare const Redoc: Redoc;

const colors = {
  light: { main: '#4338ca', text: '#171a21', muted: '#5a6372', line: '#e2e5ea', page: '#ffffff', sunken: '#f1f3f6' },
  dark: { main: '#a9b0ff', text: '#e8ebf1', muted: '#9ea8b7', line: '#414a59', page: '#161a21', sunken: '#1d222b' },
};
const statusColors = {
  light: { success: '#13653a', error: '#a8201a', warning: '#864700' },
  dark: { success: '#7ddba3', error: '#ff9f97', warning: '#f2c178' },
};
const methodColors = {
  light: { get: '#13653a', post: '#4338ca', put: '#864700', patch: '#864700', delete: '#a8201a' },
  dark: { get: '#13653a', post: '#4338ca', put: '#864700', patch: '#864700', delete: '#a8201a' },
};

const optionsFor = (scheme: 'light' | 'dark'): object => {
  const { main, text, muted, line, page, sunken } = colors[scheme];
  const { success, error, warning } = statusColors[scheme];
  return {
    disableSearch: true,
    hideDownloadButtons: true,
    hideHostname: true,
    nativeScrollbars: true,
    requiredPropsFirst: true,
    jsonSamplesExpandLevel: 3,
    scrollYOffset: '.bar',
    theme: {
      spacing: { sectionVertical: 24 },
      colors: {
        primary: { main },
        text: { primary: text, secondary: muted },
        border: { light: line, dark: line },
        success: { main: success, light: success, dark: success, contrastText: page },
        error: { main: error, light: error, dark: error, contrastText: page },
        warning: { main: warning, light: warning, dark: warning, contrastText: page },
        responses: {
          success: { color: success, backgroundColor: sunken, tabTextColor: '#7ddba3' },
          error: { color: error, backgroundColor: sunken, tabTextColor: '#ff9f97' },
        },
        http: methodColors[scheme],
      },
      schema: {
        nestedBackground: sunken,
        linesColor: line,
        typeNameColor: muted,
        typeTitleColor: muted,
        requireLabelColor: error,
      },
      typography: {
        fontSize: '15px',
        lineHeight: '1.6',
        fontFamily: 'system-ui, sans-serif',
        headings: { fontFamily: 'system-ui, sans-serif', fontWeight: '600' },
        code: { fontFamily: 'ui-monospace, monospace', fontSize: '13px', color: text, backgroundColor: sunken },
        links: { color: main, visited: main, hover: main },
      },
      sidebar: { backgroundColor: page, textColor: text, activeTextColor: main },
      rightPanel: { backgroundColor: '#11151c' },
      codeBlock: { backgroundColor: '#0a0d12' },
    },
  };
};

/** Redoc's small headings skip levels of the outline. */
const levelHeadings = (container: Element): void => {
  for (const heading of container.querySelectorAll('h5')) heading.setAttribute('aria-level', '3');
};

const dark = matchMedia('(prefers-color-scheme: dark)');
const place = document.querySelector<HTMLElement>('#reference');

const draw = (): void => {
  if (!place) return;
  const container = document.createElement('div');
  const scheme = dark.matches ? 'dark' : 'light';
  Redoc.init(place.dataset.openapi ?? '', optionsFor(scheme), container, (error) => {
    if (error) return;
    levelHeadings(container);
    place.replaceChildren(container);
    place.dataset.drawn = scheme;
    // The place that the address names was not there before.
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  });
};

draw();
dark.addEventListener('change', draw);
