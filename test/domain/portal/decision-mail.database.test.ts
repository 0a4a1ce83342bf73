import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mailVariables } from '../../../shared/contract/mail-settings.ts';
import { affiliates } from '../../../shared/domain/affiliates/repository.ts';
import { updateAffiliate } from '../../../shared/domain/affiliates/update-affiliate.ts';
import { decideApplication } from '../../../shared/domain/portal/decide-application.ts';
import { changeMailKind } from '../../../shared/domain/programs/change-mail-settings.ts';
import { programs, type StoredProgram } from '../../../shared/domain/programs/repository.ts';
import { updatePortal } from '../../../shared/domain/programs/update-portal.ts';
import { importedAttribute } from '../../../shared/platform/table/import-mark.ts';
import { quietAttribute } from '../../../shared/platform/table/quiet-writes.ts';
import { fanOut } from '../../../shared/webhooks/fan-out/fan-out.ts';
import { mailJobsOf } from '../../../shared/webhooks/fan-out/mail-jobs.ts';
import { changeOf } from '../../events/changes.ts';
import { changeRecord } from '../../support/changes.ts';
import { now, storeApplicant } from '../../support/domain.ts';
import { testQueues } from '../../support/queues.ts';
import { storeProgram } from '../../support/webhooks.ts';

// The mail of a decision follows from the change that the table's stream reports, whoever decided and by whichever way.

const { sentTo, refuse } = testQueues();
beforeEach(() => {
  vi.stubEnv(mailVariables.from, 'programs@example.com');
  vi.stubEnv('APP_URL', 'https://app.example.com');
});
afterEach(() => {
  vi.restoreAllMocks();
});

const mailed = () => sentTo('mails').map(({ body }) => body);
const at = () => now;
const off = { isOff: true, subject: null, opening: null };

const setUp = async (plan: StoredProgram['plan'] = 'BUSINESS') => {
  const program = await storeProgram(plan);
  const before = await storeApplicant(program);
  const { id: affiliateId } = before;
  const changed = async () => {
    const after = await affiliates.get(program.id, affiliateId);
    if (!after) throw new Error('The applicant is there');
    return { after, change: changeRecord(program, 'AFFILIATE', { before, after }) };
  };
  const decide = async (decision: 'APPROVE' | 'DECLINE', message: string | null = null) => {
    await decideApplication(program, { affiliateId, decision, message }, now);
    return changed();
  };
  const update = async (status: 'active' | 'inactive' | 'banned') => {
    await updateAffiliate(program.id, { affiliateId, status, firstName: 'Priya' }, undefined, now);
    return changed();
  };
  return { program, before, decide, update };
};

describe('the mail of a decision', () => {
  it('to approve has the way to the portal', async () => {
    const { program, before, decide } = await setUp();
    await fanOut([(await decide('APPROVE')).change], at);
    expect(mailed()).toEqual([
      {
        id: expect.any(String),
        at: now.toISOString(),
        programId: program.id,
        kind: 'APPLICATION_APPROVED',
        to: before.email,
        data: { url: `https://app.example.com/portal/${program.handle ?? program.id}` },
        isTest: false,
      },
    ]);
    expect(sentTo('mails')[0]?.groupId).toBe(program.id);
  });

  it.each(['before', 'after'] as const)(
    'is not asked for where there is an application only %s the change',
    async (when) => {
      const { program, before: applicant } = await setUp();
      const read = vi.fn(async () => undefined);
      expect(await mailJobsOf(changeOf(program.id, 'AFFILIATE', { [when]: applicant }), read)).toEqual([]);
      expect(read).not.toHaveBeenCalled();
    },
  );

  it('by the API is the same', async () => {
    const { before, update } = await setUp();
    await fanOut([(await update('active')).change], at);
    const url = expect.stringMatching(/\/portal\/[^/]+$/);
    expect(mailed()).toMatchObject([{ kind: 'APPLICATION_APPROVED', to: before.email, data: { url } }]);
  });

  it.each<[string, (program: StoredProgram) => Promise<unknown>]>([
    [
      'whose portal is off',
      ({ id, logoUrl, embeddingOrigins }) =>
        updatePortal(id, { portalIsOn: false, logoUrl, embeddingOrigins: [...embeddingOrigins] }, now),
    ],
    ['that sends no sign-in links', ({ id }) => changeMailKind(id, 'PORTAL_SIGN_IN', off, now)],
  ])('to approve in a program %s has no way to the portal', async (_what, edit) => {
    const { program, decide } = await setUp();
    await edit(program);
    await fanOut([(await decide('APPROVE')).change], at);
    expect(mailed()).toMatchObject([{ kind: 'APPLICATION_APPROVED', data: { url: null } }]);
  });

  it('to decline has the text, which the application keeps', async () => {
    const { before, decide } = await setUp();
    const { after, change } = await decide('DECLINE', 'Not now');
    expect(after.application).toMatchObject({ status: 'DECLINED', message: 'Not now' });
    await fanOut([change], at);
    expect(mailed()).toMatchObject([{ kind: 'APPLICATION_DECLINED', to: before.email, data: { message: 'Not now' } }]);
  });

  it('on the FREE plan has no text of its own, and none is kept', async () => {
    const { decide } = await setUp('FREE');
    const { after, change } = await decide('DECLINE', 'Buy at evil.example');
    expect(after.application?.message).toBeNull();
    await fanOut([change], at);
    expect(mailed()).toMatchObject([{ kind: 'APPLICATION_DECLINED', data: { message: null } }]);
  });

  it('is one, however often the stream gives the change', async () => {
    const { decide } = await setUp();
    const { change } = await decide('APPROVE');
    await fanOut([change, change], at);
    await fanOut([change], at);
    expect(new Set(mailed().map(({ id }) => id)).size).toBe(1);
  });

  it('is not lost when its queue refuses it: the change comes again', async () => {
    const { decide } = await setUp();
    const { change } = await decide('DECLINE', 'Not now');
    refuse(({ queue }) => queue === 'mails');
    expect(await fanOut([change], at)).toBe(change);
    expect(mailed()).toEqual([]);
    refuse(() => false);
    expect(await fanOut([change], at)).toBeUndefined();
    expect(mailed()).toHaveLength(1);
  });

  it('of an approval after a decline is another one, without the text of the decline', async () => {
    const { program, decide, update } = await setUp();
    const declined = await decide('DECLINE', 'Not now');
    const { after } = await update('active');
    expect(after.application).toMatchObject({ status: 'APPROVED', message: null });
    await fanOut([declined.change], at);
    await fanOut([changeRecord(program, 'AFFILIATE', { before: declined.after, after })], at);
    expect(mailed().map(({ kind }) => kind)).toEqual(['APPLICATION_DECLINED', 'APPLICATION_APPROVED']);
  });
});

describe('no mail', () => {
  it('is sent where nothing is decided', async () => {
    const { program, before, decide, update } = await setUp();
    const edited = await update('inactive');
    const { after } = await decide('APPROVE');
    const declined = { ...before, application: { ...after.application, status: 'DECLINED' } };
    const renamed = { ...after, firstName: 'Noor' };
    const changes = [
      edited.change,
      changeRecord(program, 'AFFILIATE', { after: before }),
      changeRecord(program, 'AFFILIATE', { before: after, after: renamed }),
      changeRecord(program, 'AFFILIATE', { before: after }),
      // Whoever was declined applies again.
      changeRecord(program, 'AFFILIATE', { before: declined, after: before }),
    ];
    await fanOut(changes, at);
    const banned = await setUp();
    await fanOut([(await banned.update('banned')).change], at);
    expect(mailed()).toEqual([]);
  });

  it.each([
    ['an import decides', importedAttribute],
    ['a quiet write decides', quietAttribute],
  ])('is sent for what %s', async (_what, attribute) => {
    const { program, before, decide } = await setUp();
    const after = { ...(await decide('APPROVE')).after, [attribute]: 'other' };
    await fanOut([changeRecord(program, 'AFFILIATE', { before, after })], at);
    expect(mailed()).toEqual([]);
  });

  it('is sent of a kind that the program has switched off, or by a stage without mails', async () => {
    const { program, decide } = await setUp();
    await changeMailKind(program.id, 'APPLICATION_DECLINED', off, now);
    await fanOut([(await decide('DECLINE')).change], at);
    const other = await setUp();
    vi.stubEnv(mailVariables.from, '');
    await fanOut([(await other.decide('APPROVE')).change], at);
    expect(mailed()).toEqual([]);
    expect((await programs.get(program.id, program.id))?.mails?.kinds.APPLICATION_DECLINED?.isOff).toBe(true);
  });
});
