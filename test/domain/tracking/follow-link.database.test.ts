import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createLink } from '../../../shared/domain/affiliates/create-link.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { followLink } from '../../../shared/domain/tracking/follow-link.ts';
import { readClickId } from '../../../shared/domain/tracking/read-click-id.ts';
import { useClickSecret } from '../../support/click-secret.ts';
import { newProgram, now, storeAffiliate } from '../../support/domain.ts';

// docs/behavior.md#following-a-link

const shop = 'https://shop.example/';
/** A machine, whose clicks are not counted. */
const browser = { method: 'HEAD', address: '192.0.2.1', headers: { referer: 'https://blog.example/post' } };

it('a link leads to the shop with its text and a click id, and an address without a link to the shop alone', async () => {
  useClickSecret();
  const ownerEmail = `${randomUUID()}@example.com`;
  const { programId } = await createProgram({ name: 'Shop', ownerEmail, baseUrls: [shop] }, now);
  const handle = (await getProgram(programId)).handle ?? '';
  const affiliate = await storeAffiliate(newProgram({ id: programId }));
  const link = await createLink(programId, { link: 'Amara', affiliateId: affiliate.id }, now);
  const follow = (slug: string) => followLink({ handle, link: slug, query: new URLSearchParams() }, browser, now);

  const destination = await follow('amara');
  const { ref, click, ...others } = Object.fromEntries(destination?.searchParams ?? []);
  expect([destination?.origin, ref, others]).toEqual(['https://shop.example', 'Amara', {}]);
  expect(await readClickId(click ?? '')).toMatchObject({ programId, linkId: link.id, referringHost: 'blog.example' });
  expect((await follow('nobody'))?.href).toBe(shop);
});
