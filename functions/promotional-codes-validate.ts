import { validatePromotionalCode as operation } from '../shared/contract/promotional-codes.ts';
import { validatePromotionalCode } from '../shared/domain/attribution/validate-promotional-code.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';

export const handler = apiPath(
  serve(operation, ({ program, body, now }) => validatePromotionalCode(program, body, now)),
);
