import { moveOperations } from '../shared/contract/groups.ts';
import { moveMessage } from '../shared/domain/deletions/move-affiliates.ts';
import { apiPath } from '../shared/http/api.ts';
import { send } from '../shared/platform/queue/send.ts';

export const handler = apiPath(moveOperations, {
  moveAffiliates: async ({ program, body: { groupId, moveTo }, now }) => {
    await send('deletions', await moveMessage(program, { groupId, moveTo }, now), program.id);
    return { message: 'The affiliates are being moved', groupId, moveTo };
  },
});
