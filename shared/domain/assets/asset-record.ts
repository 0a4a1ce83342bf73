import * as z from 'zod';
import { type Asset, AssetImage, assetTypes, imagePath } from '../../contract/assets.ts';
import { bounds } from '../../contract/bounds.ts';
import { fieldError } from '../../contract/errors.ts';
import type { ProgramFile } from '../../platform/objects/files.ts';
import { storedFields } from '../../platform/table/keys.ts';
import { recordStore } from '../../platform/table/record-store.ts';
import { slotOf } from '../../platform/table/slots.ts';

export const StoredAsset = z.object({
  ...storedFields,
  type: z.enum(assetTypes),
  title: z.string(),
  /** Of a text. */
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

/** The file that everybody may read. */
export const imageFile = (programId: string, id: string): ProgramFile => ({ kind: 'asset-images', programId, id });

/** A file that was uploaded, of which nothing is known yet. It expires. */
export const uploadedFile = (programId: string, id: string): ProgramFile => ({ kind: 'asset-uploads', programId, id });

export const assetResponse = ({ image, ...asset }: StoredAsset, programId: string): z.input<typeof Asset> => ({
  ...asset,
  image: image && { ...image, path: imagePath(programId, asset.id, image) },
});
