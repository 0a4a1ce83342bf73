import { expect, it } from 'vitest';
import { checkOriginOfForm, limitForms, type WebEvent } from '../../shared/web/checks.ts';

it('a request for no page is no form: it needs no token, and is not counted', async () => {
  const account = { email: 'ada@example.com' };
  const event = { headers: {}, state: { account, now: new Date() } } as unknown as WebEvent;
  await expect(checkOriginOfForm(event)).resolves.toBeUndefined();
  await expect(limitForms(event)).resolves.toBeUndefined();
});
