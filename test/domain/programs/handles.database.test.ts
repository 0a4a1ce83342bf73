import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { forgetLostHandle, handleKey, programIdOfHandle } from '../../../shared/domain/programs/handles.ts';
import { createProgram } from '../../../shared/domain/programs/programs.ts';
import { getProgram } from '../../../shared/domain/programs/repository.ts';
import { updateItem } from '../../../shared/platform/table/items.ts';
import { now } from '../../support/domain.ts';

// docs/behavior.md#handles

it('a restored program keeps its handle, unless another one has taken it meanwhile', async () => {
  const create = async () => {
    const { programId } = await createProgram({ name: 'Shop', ownerEmail: `${randomUUID()}@example.com` }, now);
    return getProgram(programId);
  };
  const [program, other] = [await create(), await create()];
  const handle = program.handle ?? '';
  await forgetLostHandle(program);
  expect(await getProgram(program.id)).toEqual(program);

  await updateItem('records', handleKey(handle), {
    UpdateExpression: 'SET programId = :id',
    ExpressionAttributeValues: { ':id': other.id },
  });
  await forgetLostHandle(program);
  expect(await getProgram(program.id)).toEqual({ ...program, handle: null });
  expect(await programIdOfHandle(handle)).toBe(other.id);
});
