import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { attributionByClick } from '../../../shared/domain/attribution/attribution-by-click.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { newProgram, now, storeAffiliate } from '../../support/domain.ts';

it('a click says whose it is before the affiliate is read, for what is read beside', async () => {
  const { programId } = await createProgram({ name: 'Shop', ownerEmail: `${randomUUID()}@example.com` }, now);
  const { id: affiliateId } = await storeAffiliate(newProgram({ id: programId }));
  const { id: linkId } = await createLink(programId, { link: 'amara', affiliateId }, now);
  const click = { programId, linkId, clickedAt: now.toISOString(), referringHost: null };
  const read = vi.spyOn(affiliates, 'get');
  const onFound = vi.fn(() => expect(read).not.toHaveBeenCalled());
  const { affiliate } = await attributionByClick(programId, click, now, onFound);
  expect(affiliate?.id).toBe(affiliateId);
  expect(onFound.mock.calls).toEqual([[{ affiliateId }]]);
});
