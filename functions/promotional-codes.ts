import { promotionalCodeOperations } from '../shared/contract/promotional-codes.ts';
import { createPromotionalCode } from '../shared/domain/promotional-codes/create-promotional-code.ts';
import { deletePromotionalCode } from '../shared/domain/promotional-codes/delete-promotional-code.ts';
import {
  type CodeSelector,
  findPromotionalCode,
  listPromotionalCodes,
} from '../shared/domain/promotional-codes/list-promotional-codes.ts';
import { codeResponse, codeResponses, ownerReads } from '../shared/domain/promotional-codes/responses.ts';
import { updatePromotionalCode } from '../shared/domain/promotional-codes/update-promotional-code.ts';
import { apiPath } from '../shared/http/api.ts';
import { respondWithOne, respondWithPage, selectorOf } from '../shared/http/selectors.ts';

const readOne = async ({ id }: { id: string }, selector: CodeSelector, now: Date) => {
  const reads = ownerReads(id);
  return respondWithOne(await findPromotionalCode(id, selector, reads.onFound), (found) =>
    codeResponses({ id, reads }, found, now, { exactUses: true }),
  );
};

export const handler = apiPath(promotionalCodeOperations, {
  readPromotionalCode: ({ program, parameters, now }) => readOne(program, parameters.id, now),
  listPromotionalCodes: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id', 'code', 'externalId']);
    if (selector) return readOne(program, selector, now);
    const found = await listPromotionalCodes(program.id, query, page);
    return respondWithPage(found, (listed) => codeResponses(program, listed, now));
  },
  createPromotionalCode: async ({ program, body, now, idempotency }) =>
    codeResponse(program, await createPromotionalCode(program, body, now, idempotency), now),
  updatePromotionalCode: async ({ program, body, expectedVersions, now }) => {
    const reads = ownerReads(program.id);
    return respondWithOne(await updatePromotionalCode(program, body, expectedVersions, now, reads.onFound), (changed) =>
      codeResponses({ id: program.id, reads }, changed, now, { exactUses: true }),
    );
  },
  deletePromotionalCode: async ({ program, body, expectedVersions, now }) => {
    const { id, code } = await deletePromotionalCode(program.id, body.promotionalCodeId, expectedVersions, now);
    return { message: 'Promotional code deleted', deletedCode: { id, code } };
  },
});
