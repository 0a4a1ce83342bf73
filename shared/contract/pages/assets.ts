import * as z from 'zod';
import { maxTextCharacters, maxTitleCharacters } from '../assets.ts';
import { lines, maxCharacters, text } from '../fields.ts';
import { webPage } from '../page.ts';
import { cursor } from './list-query.ts';
import { noFields } from './operation-form.ts';

/** A Lambda of its own, for the client of the bucket and what reads images. docs/behavior.md#assets */
const area = { function: 'web-assets', auth: 'session' } as const;
const path = '/programs/{programId}/assets';
const pathOfOne = `${path}/{assetId}` as const;
const pathOfUpload = `${path}/uploads/{uploadId}` as const;

const title = text(maxTitleCharacters);
const words = lines.min(1).check(maxCharacters(maxTextCharacters));

export const showAssets = webPage({
  ...area,
  id: 'showAssets',
  method: 'GET',
  path,
  query: z.object({ cursor }),
  needs: ['ASSET:list'],
});

const showNewText = webPage({ ...area, id: 'showNewText', method: 'GET', path: `${path}/new-text`, needs: [] });

const addText = webPage({
  ...area,
  id: 'addText',
  method: 'POST',
  path: `${path}/new-text`,
  creates: true,
  form: z.strictObject({ title, text: words }),
  needs: ['ASSET:list', 'ASSET:create'],
});

/** Its form leads to the bucket, and from there to the page of the upload. */
const showNewImage = webPage({
  ...area,
  id: 'showNewImage',
  method: 'GET',
  path: `${path}/new-image`,
  role: 'MANAGER',
  needs: ['asset-uploads:write'],
});

const showUpload = webPage({
  ...area,
  id: 'showUpload',
  method: 'GET',
  path: pathOfUpload,
  needs: ['asset-uploads:read', 'asset-uploads:write'],
});

const addImage = webPage({
  ...area,
  id: 'addImage',
  method: 'POST',
  path: pathOfUpload,
  creates: true,
  form: z.strictObject({ title, etag: text(200) }),
  needs: ['ASSET:list', 'ASSET:create', 'ASSET:read', 'ASSET:change', 'asset-uploads:read', 'asset-images:write'],
});

const showAssetEdit = webPage({
  ...area,
  id: 'showAssetEdit',
  method: 'GET',
  path: `${pathOfOne}/edit`,
  needs: ['ASSET:read'],
});

const editAsset = webPage({
  ...area,
  id: 'editAsset',
  method: 'POST',
  path: `${pathOfOne}/edit`,
  form: z.strictObject({ title, text: words.optional() }),
  needs: ['ASSET:read', 'ASSET:change'],
});

const confirmAssetDeletion = webPage({
  ...area,
  id: 'confirmAssetDeletion',
  method: 'GET',
  path: `${pathOfOne}/delete`,
  needs: ['ASSET:read'],
});

const removeAsset = webPage({
  ...area,
  id: 'removeAsset',
  method: 'POST',
  path: `${pathOfOne}/delete`,
  form: noFields,
  needs: ['ASSET:read', 'ASSET:delete', 'TOMBSTONE:create', 'asset-images:delete'],
});

export const assetPages = [
  showAssets,
  showNewText,
  addText,
  showNewImage,
  showUpload,
  addImage,
  showAssetEdit,
  editAsset,
  confirmAssetDeletion,
  removeAsset,
] as const;
