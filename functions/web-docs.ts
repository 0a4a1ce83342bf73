import { documentation } from '../shared/web/documentation/serve.ts';

export const handler = documentation;
