import { type SearchResult, searchIn } from './search.ts';

/** Runs in the browser: copy buttons and the search. Without it every page can be read and searched, too. */

const addCopyButton = (block: HTMLElement): void => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const say = (text: string): void => {
    button.textContent = text;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  };
  button.addEventListener('click', () => {
    const text = block.querySelector('code')?.textContent ?? '';
    navigator.clipboard.writeText(text.trimEnd()).then(
      () => say('Copied'),
      () => say('Not allowed'),
    );
  });
  block.append(button);
};

const resultItem = ({ page, heading, url, excerpt }: SearchResult): HTMLLIElement => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = url;
  const title = document.createElement('strong');
  title.textContent = heading;
  const where = document.createElement('span');
  where.textContent = page;
  const text = document.createElement('span');
  text.className = 'excerpt';
  text.textContent = excerpt;
  link.append(title, ' ', where, text);
  item.append(link);
  return item;
};

type Search = (query: string) => SearchResult[];

const loadSearch = async (url: string): Promise<Search> => {
  const response = await fetch(url);
  return searchIn(await response.json());
};

const enhanceSearch = (form: HTMLFormElement): void => {
  const input = form.querySelector('input');
  const list = document.createElement('ul');
  const status = document.createElement('p');
  list.className = 'results';
  list.hidden = true;
  status.className = 'status';
  status.setAttribute('role', 'status');
  form.append(list, status);
  let search: Promise<Search> | undefined;

  const close = (): void => {
    list.hidden = true;
    status.textContent = '';
  };
  const show = async (query: string): Promise<void> => {
    search ??= loadSearch(form.dataset.index ?? '');
    const results = (await search)(query).slice(0, 8);
    if (input?.value.trim() !== query) return;
    list.replaceChildren(...results.map(resultItem));
    list.hidden = results.length === 0;
    status.textContent = results.length === 0 ? 'Nothing found' : `${results.length} results`;
  };
  const moveBy = (step: number): void => {
    const links = [...list.querySelectorAll('a')];
    const next = links[links.findIndex((link) => link.matches(':focus')) + step];
    if (next) next.focus();
    else if (step < 0) input?.focus();
  };

  input?.addEventListener('input', () => {
    const query = input.value.trim();
    if (query) show(query).catch(close);
    else close();
  });
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      input?.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      moveBy(event.key === 'ArrowDown' ? 1 : -1);
    }
  });
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  list.addEventListener('click', () => setTimeout(close));
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input?.focus();
  });
};

// A telephone shows the page first.
if (matchMedia('(width < 64rem)').matches) document.querySelector('.contents')?.removeAttribute('open');

for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block);
const searchForm = document.querySelector<HTMLFormElement>('form.search');
if (searchForm) enhanceSearch(searchForm);
