const style = `
  :root { color-scheme: light dark; --page: light-dark(#f6f7f9, #0e1116); --surface: light-dark(#fff, #161a21);
    --text: light-dark(#171a21, #e8ebf1); --muted: light-dark(#5a6372, #9ea8b7); --line: light-dark(#c6ccd6, #414a59);
    --accent: light-dark(#4338ca, #a9b0ff); --bad: light-dark(#a8201a, #ff9f97); --bad-soft: light-dark(#fdeceb, #3a1513) }
  * { box-sizing: border-box }
  body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1rem; background: var(--page);
    color: var(--text); font: .9375rem/1.5 system-ui, sans-serif }
  main { width: 100%; max-width: 24rem; padding: 2rem; border: 1px solid light-dark(#e2e5ea, #272d38); border-radius: .75rem;
    background: var(--surface); box-shadow: 0 8px 24px light-dark(rgb(16 24 40 / .08), rgb(0 0 0 / .4)) }
  h1 { margin: 0 0 .25rem; font-size: 1.375rem }
  p { margin: 0 0 1rem; color: var(--muted) }
  label { display: block; margin-top: 1rem; font-weight: 550 }
  input:not([type=checkbox]), button { width: 100%; min-height: 2.5rem; margin-top: .25rem; padding: .375rem .75rem;
    border: 1px solid var(--line); border-radius: .5rem; background: var(--surface); color: inherit; font: inherit; font-size: 1rem }
  button { margin-top: 1.5rem; border-color: transparent; background: #4f46e5; color: #fff; font-weight: 550; cursor: pointer }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  details { margin-top: 1.25rem; color: var(--muted); font-size: .8125rem }
  summary { cursor: pointer }
  details label { margin-top: .5rem; font-weight: 400 }
  [role=alert] { padding: .5rem .75rem; border-radius: .5rem; background: var(--bad-soft); color: var(--bad) }`;

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The page that stands in for Cognito's managed login on one machine. */
export const signInPage = (problem = '', email = ''): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><style>${style}</style></head>
<body>
<main>
<h1>Sign in</h1>
<p>With any email address, and the password that the local stack printed when it started.</p>
${problem && `<p role="alert">${escaped(problem)}</p>`}
<form method="post">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
<details>
<summary>Options for tests</summary>
<label><input name="unverified" type="checkbox"> Sign in with an address that is not verified</label>
</details>
</form>
</main>
</body>
</html>`;
