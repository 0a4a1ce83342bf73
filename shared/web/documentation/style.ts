export const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #3a4048); --soft: light-dark(#f4f6f8, #1f2329);
  --accent: light-dark(#0b57d0, #8ab4f8); --page: light-dark(#fff, #16191d); --text: light-dark(#1c2024, #e4e7ea); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
  background: var(--page); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin-top: 2rem; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem; overflow-x: auto; }
nav ul { columns: 15rem; padding-left: 1.25rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line); }
summary { cursor: pointer; margin: .5rem 0; }
.method { font-weight: 700; }
`;
