import * as z from 'zod';
import { imagePath } from '../../contract/asset-images.ts';
import { type Asset, AssetImage, assetTypes } from '../../contract/assets.ts';
import { bounds } from '../../contract/bounds.ts';
import { fieldError } from '../../contract/errors.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';

export const StoredAsset = z.object({
  ...storedFields,
  type: z.enum(assetTypes),
  title: z.string(),
  text: z.string().nullable(),
  /** Of an image whose file, which has the id of the record, is there. */
  image: AssetImage.nullable(),
  slot: z.number(),
});
export type StoredAsset = z.infer<typeof StoredAsset>;

export const assets = recordStore({
  table: 'records',
  kind: 'ASSET',
  keepsActor: true,
  schema: StoredAsset,
  uniques: { SLOT: ({ slot }) => slotOf(slot) },
});

export const assetSlots = {
  count: bounds.assetsOfProgram,
  whenFull: () => fieldError('title', `A program has at most ${bounds.assetsOfProgram} assets. Delete one first.`),
};

export const assetResponse = ({ image, ...asset }: StoredAsset, programId: string): z.input<typeof Asset> => ({
  ...asset,
  image: image && { ...image, path: imagePath(programId, asset.id, image) },
});
