import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assets } from '../../../shared/domain/assets/asset-record.ts';
import {
  type AssetFiles,
  createImage,
  createText,
  deleteAsset,
  editAsset,
} from '../../../shared/domain/assets/manage-assets.ts';
import type { ProgramFile } from '../../../shared/platform/objects/files.ts';
import { at, now, outcomeOf } from '../../support/domain.ts';
import { imageFiles, svg } from '../../support/image-files.ts';
import { interrupted } from '../../support/interrupted.ts';

const later = new Date(at(60_000));
const greeting = { title: 'Hello', text: 'Look: {link}' };

const all = async (programId: string) => (await assets.page(programId, { limit: 100 })).items;

/** A bucket in memory. */
const bucket = () => {
  const stored = new Map<string, Uint8Array>();
  const nameOf = ({ kind, programId, id }: ProgramFile) => `${kind} ${programId} ${id}`;
  const files: AssetFiles = {
    putFile: async (file, content) => void stored.set(nameOf(file), content),
    deleteFile: async (file) => void stored.delete(nameOf(file)),
  };
  return { files, stored };
};

const broken: AssetFiles = {
  putFile: () => Promise.reject(new Error('The bucket does not respond')),
  deleteFile: () => Promise.reject(new Error('The bucket does not respond')),
};

describe('a text', () => {
  it('is created, edited and deleted', async () => {
    const programId = randomUUID();
    const { id } = await createText(programId, greeting, now);
    expect(await assets.get(programId, id)).toMatchObject({ type: 'TEXT', ...greeting, image: null });
    await editAsset(programId, id, { title: 'Hi', text: 'See' }, later);
    const edited = { title: 'Hi', text: 'See', version: 2, createdAt: at(0), updatedAt: at(60_000) };
    expect(await assets.get(programId, id)).toMatchObject(edited);
    await deleteAsset(programId, id, later);
    expect(await all(programId)).toEqual([]);
    for (const act of [() => editAsset(programId, id, greeting, later), () => deleteAsset(programId, id, later)])
      expect(await outcomeOf(act)).toMatchObject({ status: 404 });
  });

  it('keeps its words, which an image has not', async () => {
    const programId = randomUUID();
    const text = await createText(programId, greeting, now);
    const image = await createImage(programId, { title: 'Banner', content: imageFiles.PNG }, now, bucket().files);
    expect(await outcomeOf(() => editAsset(programId, text.id, { title: 'Hi', text: undefined }, later))).toEqual({
      status: 400,
      path: 'text',
    });
    expect(await outcomeOf(() => editAsset(programId, image.id, { title: 'Hi', text: 'See' }, later))).toEqual({
      status: 400,
      path: 'text',
    });
    await editAsset(programId, image.id, { title: 'Hi', text: undefined }, later);
    expect(await assets.get(programId, image.id)).toMatchObject({ title: 'Hi', image: image.image });
  });

  it('of another program is not there', async () => {
    const { id } = await createText(randomUUID(), greeting, now);
    expect(await outcomeOf(() => editAsset(randomUUID(), id, greeting, later))).toMatchObject({ status: 404 });
    expect(await outcomeOf(() => deleteAsset(randomUUID(), id, later))).toMatchObject({ status: 404 });
  });

  it('that is edited twice at a time keeps the later edit, and one that is deleted meanwhile stays deleted', async () => {
    const programId = randomUUID();
    const { id } = await createText(programId, greeting, now);
    const edit = (title: string) => () => editAsset(programId, id, { ...greeting, title }, later);
    await interrupted(edit('Second'), edit('First'));
    expect(await assets.get(programId, id)).toMatchObject({ title: 'Second', version: 3 });
    const remove = () => deleteAsset(programId, id, later);
    expect(await outcomeOf(() => interrupted(edit('Third'), remove))).toMatchObject({ status: 404 });
    expect(await all(programId)).toEqual([]);
  });

  it('that is deleted twice, or edited while it is deleted, is deleted once', async () => {
    const programId = randomUUID();
    const { id } = await createText(programId, greeting, now);
    const remove = () => deleteAsset(programId, id, later);
    const edit = () => editAsset(programId, id, { ...greeting, title: 'Edited' }, later);
    expect(await interrupted(remove, edit)).toMatchObject({ title: 'Edited', version: 2 });
    const other = await createText(programId, greeting, now);
    const removeOther = () => deleteAsset(programId, other.id, later);
    expect(await outcomeOf(() => interrupted(removeOther, removeOther))).toMatchObject({ status: 404 });
    expect(await all(programId)).toEqual([]);
  });
});

describe('an image', () => {
  const banner = { title: 'Banner', content: imageFiles.PNG };

  it('is stored as it was checked, under the id of its record, and its file goes with it', async () => {
    const programId = randomUUID();
    const { files, stored } = bucket();
    const { id, image } = await createImage(programId, banner, now, files);
    expect(image).toEqual({ type: 'PNG', width: 3, height: 2, bytes: imageFiles.PNG.length });
    expect([...stored]).toEqual([[`asset-images ${programId} ${id}`, imageFiles.PNG]]);
    await deleteAsset(programId, id, later, files);
    expect([stored.size, await all(programId)]).toEqual([0, []]);
  });

  it('that is none leaves nothing', async () => {
    const programId = randomUUID();
    const { files, stored } = bucket();
    const refused = await outcomeOf(() => createImage(programId, { title: 'Logo', content: svg }, now, files));
    expect(refused).toMatchObject({ status: 400 });
    expect([stored.size, await all(programId)]).toEqual([0, []]);
  });

  it('whose file cannot be stored is a record without an image, which can be deleted', async () => {
    const programId = randomUUID();
    await expect(createImage(programId, banner, now, broken)).rejects.toThrow('does not respond');
    const [left] = await all(programId);
    expect(left).toMatchObject({ type: 'IMAGE', title: 'Banner', image: null });
    await deleteAsset(programId, left?.id ?? '', later, bucket().files);
    expect(await all(programId)).toEqual([]);
  });

  it.each([
    ['after', (files: AssetFiles) => files],
    ['before', (files: AssetFiles) => ({ ...files, deleteFile: async () => {} })],
  ])(
    'that is deleted meanwhile, by who looked for its file %s it was there, stays deleted with it',
    async (_, filesOf) => {
      const programId = randomUUID();
      const { files, stored } = bucket();
      const removeIt = async () => {
        expect(stored.size).toBe(1);
        return deleteAsset(programId, (await all(programId))[0]?.id ?? '', later, filesOf(files));
      };
      const create = () => createImage(programId, banner, now, files);
      expect(await outcomeOf(() => interrupted(create, removeIt, 2))).toMatchObject({ status: 404 });
      expect([stored.size, await all(programId)]).toEqual([0, []]);
    },
  );

  it('whose file cannot be deleted stays, and can be deleted again', async () => {
    const programId = randomUUID();
    const { files, stored } = bucket();
    const { id } = await createImage(programId, banner, now, files);
    await expect(deleteAsset(programId, id, later, broken)).rejects.toThrow('does not respond');
    expect(await all(programId)).toHaveLength(1);
    await deleteAsset(programId, id, later, files);
    expect([stored.size, await all(programId)]).toEqual([0, []]);
  });

  it('is not public before its record is there', async () => {
    const programId = randomUUID();
    const { files, stored } = bucket();
    const create = () => createImage(programId, banner, now, files);
    await interrupted(create, async () => expect(stored.size).toBe(0));
    expect(stored.size).toBe(1);
  });
});
