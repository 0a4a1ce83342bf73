import { validatePromotionalCode as operation } from '../shared/contract/promotional-codes.ts';
import { apiPath, serve } from '../shared/http/api-path.ts';
import { validatePromotionalCode } from '../shared/promotional-codes/validate-promotional-code.ts';

export const handler = apiPath(
  serve(operation, ({ program, body, now }) => validatePromotionalCode(program, body, now)),
);
