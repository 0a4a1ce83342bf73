/** Runs in the browser: a form that was sent after its session ended is shown again after a sign-in in the same tab. */

const storageKey = 'kept-form';
const maxAgeMilliseconds = 60 * 60 * 1000;

interface KeptForm {
  action: string;
  fields: [name: string, value: string][];
  keptAt: number;
}

/** Where the browser stores nothing, the page asks to sign in in a new tab, as it does without a script. */
const keepForm = (form: HTMLFormElement): void => {
  const fields = [...new FormData(form)].map(([name, value]): KeptForm['fields'][number] => [name, String(value)]);
  const kept: KeptForm = { action: form.getAttribute('action') ?? '', fields, keptAt: Date.now() };
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    return;
  }
  for (const part of document.querySelectorAll<HTMLElement>('[data-tab]')) part.hidden = part.dataset.tab === 'new';
};

const takeKeptForm = (): KeptForm | undefined => {
  try {
    const text = sessionStorage.getItem(storageKey);
    sessionStorage.removeItem(storageKey);
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The server shows the form to the person who sent it, and saves nothing. docs/behavior.md#sign-in-and-sessions */
const showAgain = ({ action, fields, keptAt }: KeptForm): void => {
  if (Date.now() - keptAt > maxAgeMilliseconds) return;
  const form = document.createElement('form');
  form.method = 'post';
  form.setAttribute('action', action);
  for (const [name, value] of fields) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  HTMLFormElement.prototype.submit.call(form);
};

const endedForm = document.querySelector<HTMLFormElement>('form[data-kept]');
if (endedForm) keepForm(endedForm);
else if (document.querySelector('form[action="/sign-out"]')) {
  const kept = takeKeptForm();
  if (kept) showAgain(kept);
}
