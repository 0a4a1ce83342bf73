import './kept-form.client.ts';
import './proof.client.ts';

/** Runs in the browser: copy buttons, suggestions, kept forms, and embedded pages that continue by themselves. Without it every page works, too. */

const shownMilliseconds = 2000;

/** What a screen reader says. */
const announce = (text: string): void => {
  const status = document.querySelector('#announced') ?? document.createElement('p');
  status.id = 'announced';
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  document.querySelector('main')?.append(status);
  status.textContent = text;
};

const selectAll = (element: Element): void => {
  getSelection()?.selectAllChildren(element);
};

const enableCopying = (button: HTMLButtonElement): void => {
  const value = button.parentElement?.firstElementChild;
  if (!value) return;
  button.hidden = false;
  const say = (text: string, className: string): void => {
    announce(text);
    button.classList.add(className);
    setTimeout(() => {
      button.classList.remove(className);
    }, shownMilliseconds);
  };
  button.addEventListener('click', () => {
    selectAll(value);
    navigator.clipboard.writeText(value.textContent ?? '').then(
      () => say('Copied', 'copied'),
      () => say('The browser does not allow copying. The text is selected: copy it with the keyboard.', 'refused'),
    );
  });
};

for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) enableCopying(button);

interface Suggestion {
  name: string;
  email: string;
}

const typingMilliseconds = 200;

const optionOf = ({ name, email }: Suggestion, id: string): HTMLLIElement => {
  const option = document.createElement('li');
  option.id = id;
  option.dataset.value = email;
  option.setAttribute('role', 'option');
  const [title, detail] = [document.createElement('strong'), document.createElement('span')];
  title.textContent = name;
  detail.textContent = email;
  option.append(title, ' ', detail);
  return option;
};

/** The list below a control: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
const listBelow = (input: HTMLInputElement): HTMLUListElement => {
  const frame = document.createElement('div');
  const list = document.createElement('ul');
  frame.className = 'suggesting';
  list.id = `${input.id}-list`;
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  input.replaceWith(frame);
  frame.append(input, list);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');
  return list;
};

const enableSuggestions = (input: HTMLInputElement): void => {
  const list = listBelow(input);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const marked = (): HTMLElement | null => list.querySelector<HTMLElement>('[aria-selected="true"]');
  const mark = (option: Element | null | undefined): void => {
    marked()?.removeAttribute('aria-selected');
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
  };
  const show = (found: readonly Suggestion[]): void => {
    list.replaceChildren(...found.map((one, at) => optionOf(one, `${list.id}-${at}`)));
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    mark(null);
  };
  const choose = (option: HTMLElement): void => {
    input.value = option.dataset.value ?? '';
    show([]);
  };
  const suggest = async (): Promise<void> => {
    const words = input.value.trim();
    if (!words || words.includes('@')) return show([]);
    const response = await fetch(`${input.dataset.suggestions}?${new URLSearchParams({ words })}`);
    if (!response.ok || words !== input.value.trim() || document.activeElement !== input) return;
    show(await response.json());
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => suggest().catch(() => show([])), typingMilliseconds);
  });
  input.addEventListener('blur', () => show([]));
  input.addEventListener('keydown', (event) => {
    const chosen = marked();
    if (list.hidden) return;
    if (event.key === 'Escape') show([]);
    else if (event.key === 'ArrowDown') mark(chosen?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === 'ArrowUp') mark(chosen?.previousElementSibling ?? list.lastElementChild);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else return;
    event.preventDefault();
  });
  // The control keeps the focus.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element && target.closest<HTMLElement>('[role="option"]');
    if (option) choose(option);
  });
};

for (const input of document.querySelectorAll<HTMLInputElement>('input[data-suggestions]')) enableSuggestions(input);

document.querySelector<HTMLFormElement>('form[data-continue]')?.requestSubmit();
