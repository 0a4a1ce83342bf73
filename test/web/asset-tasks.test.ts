import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { maxImageBytes } from '../../shared/contract/asset-images.ts';
import { acceptInvitation, inviteMember } from '../../shared/domain/programs/members.ts';
import { deleteProgram } from '../../shared/domain/programs/programs.ts';
import { addImage, sendUpload, uploadImage } from '../support/assets.ts';
import { appUrl, type Browser, freshEmail, signedIn } from '../support/browser.ts';
import { eventually } from '../support/events.ts';
import { imageFiles, pngOf, svg } from '../support/image-files.ts';
import { sendFile } from '../support/page-importer.ts';
import { enterPortal, pathOfPortal } from '../support/portal.ts';
import { type Api, makeAffiliate, makeProgram } from '../support/program.ts';

/** What a team does with assets, on the stack: files go to the bucket by the form of the page, and out by a public address. */

let api: Api;
let browser: Browser;
let base: string;
beforeAll(async () => {
  api = await makeProgram({ baseUrls: ['https://shop.example/'] });
  browser = await signedIn(api.ownerEmail);
  base = `/programs/${api.programId}/assets`;
});

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll('&quot;', '"');

const decoded = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Where the images on a page are. */
const imagesOn = async (reader: Browser, path: string): Promise<string[]> =>
  [...(await reader.visit(path)).text.matchAll(/src="([^"]*\/images\/[^"]*)"/g)].map(([, address = '']) => address);

const newestImage = async (): Promise<string> => (await imagesOn(browser, base))[0] ?? '';

/** The id of an asset, from the link to its page. */
const idOf = async (title: string): Promise<string> => {
  const { text } = await browser.visit(base);
  const card = text.split('<div class="card asset"').find((one) => one.includes(`>${title}</h2>`)) ?? '';
  return /assets\/([0-9a-f-]{36})\/edit/.exec(card)?.[1] ?? '';
};

describe('an image', () => {
  it('is uploaded, looked at and added, and then everybody may see it at an address that stays', async () => {
    const content = pngOf(300, 250);
    const uploadId = await uploadImage(browser, api.programId, content);
    const shown = await browser.visit(`${base}/uploads/${uploadId}`);
    expect(textOf(shown.text)).toContain('PNG, 300 × 250 pixels');
    expect(shown.text).toContain(`data:image/png;base64,${content.toString('base64')}`);
    // Nothing is public yet.
    expect((await fetch(`${appUrl()}/images/${api.programId}/${uploadId}.png`)).status).toBe(404);
    const added = await sendUpload(browser, api.programId, uploadId, 'Spring banner');
    expect(added.location?.pathname).toBe(base);
    const address = await newestImage();
    expect(address).toMatch(new RegExp(`^${appUrl()}/images/${api.programId}/[0-9a-f-]{36}\\.png$`));
    const response = await fetch(address, { headers: { referer: 'https://blog.example/' } });
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=604800',
    });
    const known = await fetch(address, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } });
    expect([known.status, (await known.arrayBuffer()).byteLength]).toEqual([304, 0]);
    expect((await fetch(address, { headers: { 'if-none-match': '"another"' } })).status).toBe(200);
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await fetch(address, { method: 'POST' })).status).toBe(405);
  });

  it.each(Object.entries(imageFiles))('%s is taken for what it is, whatever its name', async (type, content) => {
    const title = `A ${type}`;
    await sendUpload(browser, api.programId, await uploadImage(browser, api.programId, content), title);
    const address = await newestImage();
    const response = await fetch(address);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, `image/${type.toLowerCase()}`]);
    // An address of another type, program or image is none.
    const [, id = ''] = /([0-9a-f-]{36})\.\w+$/.exec(address) ?? [];
    const wrong = type === 'GIF' ? 'png' : 'gif';
    for (const path of [
      `${api.programId}/${id}.${wrong}`,
      `${api.programId}/${id}`,
      `${api.programId}/${id}.svg`,
      `${randomUUID()}/${address.split('/').at(-1)}`,
      `${api.programId}/${randomUUID()}.png`,
      `${api.programId}/..%2F..%2Fimports%2F${id}.png`,
    ])
      expect((await fetch(`${appUrl()}/images/${path}`)).status, path).toBe(404);
  });

  it.each([
    ['SVG', svg],
    ['HTML with the ending of an image', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ])('%s is refused, with the reason and a form for another file', async (_name, content) => {
    const uploadId = await uploadImage(browser, api.programId, content);
    const { text } = await browser.visit(`${base}/uploads/${uploadId}`);
    expect(text).toContain('The file is not a PNG, JPEG, GIF or WebP image');
    expect(text).not.toContain('Add image');
    const sent = await browser.submit(`${base}/uploads/${uploadId}`, { title: 'Logo', etag: 'x' });
    expect(sent.status).toBe(409);
    const { text: form } = await browser.visit(`${base}/uploads/${uploadId}`);
    expect((await sendFile(form, imageFiles.PNG)).status).toBe(303);
    expect((await browser.visit(`${base}/uploads/${uploadId}`)).text).toContain('Add image');
  });

  it('of more than 2 MB is refused by the bucket', async () => {
    const { text } = await browser.visit(`${base}/new-image`);
    expect((await sendFile(text, Buffer.alloc(maxImageBytes + 1))).status).toBe(400);
  });

  it('that was uploaded again after it was looked at is not added', async () => {
    const { text } = await browser.visit(`${base}/new-image`);
    const first = await sendFile(text, pngOf(10, 10));
    const path = new URL(first.headers.get('location') ?? '').pathname;
    const { text: shown } = await browser.visit(path);
    await sendFile(text, pngOf(20, 20));
    const etag = /name="etag" value="([^"]*)"/.exec(shown)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const refused = await browser.submit(path, { title: 'Banner', etag });
    expect([refused.status, refused.text.includes('uploaded again')]).toEqual([409, true]);
  });

  it('that is deleted is no longer at its address', async () => {
    await addImage(browser, api.programId, 'To delete');
    const address = await newestImage();
    expect((await fetch(address)).status).toBe(200);
    expect((await browser.submit(`${base}/${await idOf('To delete')}/delete`)).status).toBe(303);
    expect((await fetch(address)).status).toBe(404);
    expect(await imagesOn(browser, base)).not.toContain(address);
  });

  it('and its upload are of one program: another one finds neither', async () => {
    const other = await makeProgram();
    const otherBrowser = await signedIn(other.ownerEmail);
    await addImage(browser, api.programId, 'Ours');
    const id = await idOf('Ours');
    const uploadId = await uploadImage(browser, api.programId);
    const theirs = `/programs/${other.programId}/assets`;
    expect((await otherBrowser.visit(`${theirs}/uploads/${uploadId}`)).status).toBe(404);
    const form = { title: 'Mine', etag: 'x' };
    expect((await otherBrowser.submit(`${theirs}/uploads/${uploadId}`, form)).status).toBe(404);
    expect((await otherBrowser.visit(`${theirs}/${id}/edit`)).status).toBe(404);
    expect((await otherBrowser.submit(`${theirs}/${id}/delete`)).status).toBe(404);
    expect((await otherBrowser.visit(`${base}/${id}/edit`)).status).toBe(404);
  });
});

it('a viewer sees assets, and can neither add nor change one', async () => {
  const email = freshEmail();
  const invited = { email, role: 'VIEWER' as const, invitedBy: api.ownerEmail };
  await inviteMember({ id: api.programId, ownerEmail: api.ownerEmail }, invited, new Date());
  await acceptInvitation(api.programId, email, new Date());
  const viewer = await signedIn(email);
  expect((await viewer.visit(base)).status).toBe(200);
  for (const path of ['/new-text', '/new-image', `/uploads/${randomUUID()}`])
    expect((await viewer.visit(`${base}${path}`)).status, path).toBe(403);
  expect((await viewer.submit(`${base}/new-text`, { title: 'Hi', text: 'Look' })).status).toBe(403);
});

describe('an affiliate', () => {
  it('finds texts and banners with the link that they choose among theirs, and an image to download', async () => {
    const affiliate = await makeAffiliate(api);
    const { body: second } = await api.post('/links', { affiliateId: affiliate.id, link: `second-${randomUUID()}` });
    const other = await makeAffiliate(api);
    const title = `"><script>alert('${randomUUID()}')</script>`;
    await browser.submit(`${base}/new-text`, { title: 'Post', text: 'Spring is here:\n{link}' });
    await addImage(browser, api.programId, title);
    const reader = await enterPortal(api, affiliate.id);
    const path = `${await pathOfPortal(api.programId)}/assets`;
    const linkOf = (link: string) => `${appUrl()}${path.replace('/portal/', '/r/').replace('/assets', '')}/${link}`;
    const [address = ''] = await imagesOn(reader, path);
    expect((await fetch(address)).status).toBe(200);
    const escaped = title.replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const first = affiliate.affiliateLinks[0].link;
    for (const [query, link] of [
      ['', first],
      [`?link=${second.id}`, second.link],
      // Of another affiliate, and none.
      [`?link=${other.affiliateLinks[0].id}`, first],
    ] as const) {
      const { text } = await reader.visit(`${path}${query}`);
      expect(text).toContain(`Spring is here:\n${linkOf(link)}`);
      const html = `<a href="${linkOf(link)}"><img src="${address}" width="300" height="250" alt="${escaped}"/></a>`;
      expect(decoded(text)).toContain(html);
      expect(text).not.toContain(title);
    }
    expect((await reader.visit(`${path}?link=x`)).status).toBe(400);
  });
});

it('what changes of assets is in the audit log, and images go with their program', async () => {
  const own = await makeProgram();
  const member = await signedIn(own.ownerEmail);
  await addImage(member, own.programId, 'Banner');
  const [address = ''] = await imagesOn(member, `/programs/${own.programId}/assets`);
  const [, id = ''] = /([0-9a-f-]{36})\.png$/.exec(address) ?? [];
  await member.submit(`/programs/${own.programId}/assets/${id}/edit`, { title: 'Spring' });
  const entries = await eventually('entries of all changes', async () => {
    const { body } = await own.get('/audit-log?recordType=ASSET');
    return body.length === 3 && body;
  });
  const changesOf = (action: string) =>
    entries.flatMap((entry: { action: string; changes: object }) => (entry.action === action ? entry.changes : []));
  expect(entries[0]).toMatchObject({ recordId: id, changes: { title: { from: 'Banner', to: 'Spring' } } });
  expect(changesOf('UPDATED')).toHaveLength(2);
  expect(changesOf('CREATED')).toMatchObject([{ title: { from: null, to: 'Banner' } }]);
  await deleteProgram(own.programId);
  await eventually('the image is gone', async () => (await fetch(address)).status === 404);
});
