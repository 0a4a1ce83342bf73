const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  label { display: block; margin-top: 1rem }
  input:not([type=checkbox]), button { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit }
  button { margin-top: 1.5rem }
  [role=alert] { border-left: 4px solid #c33; padding-left: .75rem }`;

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The page that stands in for Cognito's managed login on one machine. */
export const signInPage = (problem = '', email = ''): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><style>${style}</style></head>
<body>
<main>
<h1>Sign in</h1>
<p>This page belongs to the local stack. The password was printed when the stack started; it is the same for every address.</p>
${problem && `<p role="alert">${escaped(problem)}</p>`}
<form method="post">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<label><input name="unverified" type="checkbox"> As somebody who has not verified the address yet</label>
<button>Sign in</button>
</form>
</main>
</body>
</html>`;
