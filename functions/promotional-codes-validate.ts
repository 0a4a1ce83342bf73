import { codeValidationOperations } from '../shared/contract/promotional-codes.ts';
import { validatePromotionalCode } from '../shared/domain/attribution/validate-promotional-code.ts';
import { apiPath } from '../shared/http/api.ts';

export const handler = apiPath(codeValidationOperations, {
  validatePromotionalCode: ({ program, body, now }) => validatePromotionalCode(program, body, now),
});
