import { promotionalCodeOperations } from '../shared/contract/promotional-codes.ts';
import { codeAnswer, codeAnswers } from '../shared/domain/promotional-codes/answers.ts';
import { createPromotionalCode } from '../shared/domain/promotional-codes/create-promotional-code.ts';
import { deletePromotionalCode } from '../shared/domain/promotional-codes/delete-promotional-code.ts';
import {
  findPromotionalCode,
  listPromotionalCodes,
} from '../shared/domain/promotional-codes/list-promotional-codes.ts';
import { updatePromotionalCode } from '../shared/domain/promotional-codes/update-promotional-code.ts';
import { apiPath } from '../shared/http/api-path.ts';
import { answerOne, answerPage, selectorOf } from '../shared/http/selectors.ts';

export const handler = apiPath(promotionalCodeOperations, {
  listPromotionalCodes: async ({ program, query, page, now }) => {
    const selector = selectorOf(query, ['id', 'code', 'externalId']);
    return selector
      ? answerOne(await findPromotionalCode(program.id, selector), (found) =>
          codeAnswers(program, found, now, { exactUses: true }),
        )
      : answerPage(await listPromotionalCodes(program.id, query, page), (found) => codeAnswers(program, found, now));
  },
  createPromotionalCode: async ({ program, body, now, idempotency }) =>
    codeAnswer(program, await createPromotionalCode(program, body, now, idempotency), now),
  updatePromotionalCode: async ({ program, body, expectedVersions, now }) =>
    answerOne(await updatePromotionalCode(program, body, expectedVersions, now), (changed) =>
      codeAnswers(program, changed, now, { exactUses: true }),
    ),
  deletePromotionalCode: async ({ program, body, expectedVersions, now }) => {
    const { id, code } = await deletePromotionalCode(program.id, body.promotionalCodeId, expectedVersions, now);
    return { message: 'Promotional code deleted', deletedCode: { id, code } };
  },
});
