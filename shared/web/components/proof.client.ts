import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';

/** Does the work that a form asks for, while somebody fills it in. */

const form = document.querySelector<HTMLFormElement>('form[data-proof]');
const field = form?.querySelector<HTMLInputElement>('input[name="proof"]');

const work = async (challenge: string, into: HTMLInputElement): Promise<void> => {
  const solution = await solveChallenge({ challenge: JSON.parse(challenge), deriveKey });
  if (solution) into.value = JSON.stringify({ counter: solution.counter, derivedKey: solution.derivedKey });
};

if (form && field) {
  const working = work(form.dataset.proof ?? '', field);
  form.addEventListener('submit', (event) => {
    if (field.value) return;
    event.preventDefault();
    const send = (): void => form.submit();
    working.then(send, send);
  });
}
