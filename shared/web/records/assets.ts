import * as z from 'zod';
import { imageTypes, maxImageBytes } from '../../contract/asset-images.ts';
import { ApiError, requireRecord } from '../../contract/errors.ts';
import { type assetPages, showAssets } from '../../contract/pages/assets.ts';
import { uploadedFile } from '../../domain/assets/asset-files.ts';
import { assets } from '../../domain/assets/asset-record.ts';
import { imageIn, problemOfImage } from '../../domain/assets/image-content.ts';
import { createText, deleteAsset, editAsset, publishUpload } from '../../domain/assets/manage-assets.ts';
import { readUpload } from '../../domain/assets/uploads.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { uploadForm } from '../../platform/objects/presigned.ts';
import { newRecordId } from '../../platform/table/record-id.ts';
import { type Filled, unfilled } from '../components/controls.tsx';
import { withFlash } from '../components/flash.ts';
import type { PageHandlersOf } from '../handlers.ts';
import { listPart } from '../lists/list-part.ts';
import {
  assetDeletionView,
  assetEditView,
  assetsPath,
  assetsView,
  newImageView,
  newTextView,
  refusedUploadView,
  uploadPath,
  uploadView,
} from '../pages/assets.tsx';
import { redirect, type View } from '../responses.ts';
import { addressOf } from '../session/app-url.ts';
import type { Session } from '../session/session.ts';

const uploadSeconds = 60 * 60;
const shownAssets = 24;

/** A name that goes into the key of a file. */
const uploadIdOf = ({ uploadId }: { uploadId: string }): string => {
  if (!z.uuid().safeParse(uploadId).success) throw new ApiError('not_found', 'Upload not found');
  return uploadId;
};

const formFor = (programId: string, uploadId: string) =>
  uploadForm(uploadedFile(programId, uploadId), {
    maxBytes: maxImageBytes,
    seconds: uploadSeconds,
    redirect: addressOf(uploadPath(programId, uploadId)).href,
  });

const viewOfUpload = async (
  place: { session: Session; program: StoredProgram },
  uploadId: string,
  filled: Filled,
): Promise<View> => {
  const { id: programId } = place.program;
  const upload = requireRecord(await readUpload(programId, uploadId), 'Upload');
  const image = imageIn(upload.content);
  const problem = problemOfImage(image);
  if (!image || problem) return refusedUploadView(place, await formFor(programId, uploadId), problem ?? '');
  const src = `data:${imageTypes[image.type].contentType};base64,${upload.content.toString('base64')}`;
  return uploadView(place, { id: uploadId, etag: upload.etag, image, src }, filled);
};

const findAsset = async ({ id: programId }: StoredProgram, assetId: string) =>
  requireRecord(await assets.get(programId, assetId), 'Asset');

export const assetHandlers: PageHandlersOf<typeof assetPages> = {
  showAssets: async ({ program, query }) => {
    const part = listPart(showAssets, program.id, assetsPath(program.id), query);
    return assetsView(program, part, await assets.page(program.id, { ...part.request, limit: shownAssets }));
  },

  showNewText: ({ session, program }) => newTextView({ session, program }, unfilled),

  addText: {
    submit: async ({ program, form, now }) => {
      await createText(program.id, form, now);
      return redirect(withFlash(assetsPath(program.id), 'asset-added'));
    },
    showAgain: ({ session, program }, filled) => newTextView({ session, program }, filled),
  },

  showNewImage: async ({ session, program, now }) =>
    newImageView({ session, program }, await formFor(program.id, newRecordId(now))),

  showUpload: ({ session, program, parameters }) =>
    viewOfUpload({ session, program }, uploadIdOf(parameters), unfilled),

  addImage: {
    submit: async ({ program, parameters, form, now }) => {
      await publishUpload(program.id, { ...form, uploadId: uploadIdOf(parameters) }, now);
      return redirect(withFlash(assetsPath(program.id), 'asset-added'));
    },
    showAgain: ({ session, program, parameters }, filled) =>
      viewOfUpload({ session, program }, uploadIdOf(parameters), filled),
  },

  showAssetEdit: async ({ session, program, parameters: { assetId } }) =>
    assetEditView({ session, program }, await findAsset(program, assetId), unfilled),

  editAsset: {
    submit: async ({ program, parameters: { assetId }, form: { title, text }, now }) => {
      await editAsset(program.id, assetId, { title, text }, now);
      return redirect(withFlash(assetsPath(program.id), 'saved'));
    },
    showAgain: async ({ session, program, parameters: { assetId } }, filled) =>
      assetEditView({ session, program }, await findAsset(program, assetId), filled),
  },

  confirmAssetDeletion: async ({ session, program, parameters: { assetId } }) =>
    assetDeletionView({ session, program }, await findAsset(program, assetId)),

  removeAsset: async ({ program, parameters: { assetId }, now }) => {
    await deleteAsset(program.id, assetId, now);
    return redirect(withFlash(assetsPath(program.id), 'asset-deleted'));
  },
};
