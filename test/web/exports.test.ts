import { expect, it } from 'vitest';
import { findExport } from '../../shared/domain/exports/manage-exports.ts';
import { acceptInvitation, inviteMember } from '../../shared/domain/programs/members.ts';
import { freshEmail, signedIn } from '../support/browser.ts';
import { makeAbandonedExport, makeDoneExport } from '../support/done-export.ts';
import { eventually } from '../support/events.ts';
import { makeProgram } from '../support/program.ts';
import { filesIn } from '../support/zip-files.ts';

const shopOf = async (role: 'MANAGER' | 'VIEWER') => {
  const email = freshEmail();
  const { programId, ownerEmail } = await makeProgram();
  await inviteMember({ id: programId, ownerEmail }, { email, role, invitedBy: ownerEmail }, new Date());
  await acceptInvitation(programId, email, new Date());
  return { programId, path: `/programs/${programId}/exports`, member: await signedIn(email) };
};

it('a manager exports everything by a button, waits on a page that refreshes itself, and downloads the file', async () => {
  const { path, member } = await shopOf('MANAGER');
  expect((await member.visit(path)).text).toContain('Export everything</button>');
  const { status, location } = await member.submit(path);
  expect(status).toBe(303);
  const page = location?.pathname ?? '';
  const first = await member.visit(page);
  const isDone = first.headers.get('refresh') === null;
  if (!isDone) expect([first.headers.get('refresh'), first.text.includes('<progress')]).toEqual(['2', true]);
  const done = await eventually('an export that can be downloaded', async () => {
    const visited = await member.visit(page);
    return visited.text.includes(`${page}/file`) && visited;
  });
  expect([done.headers.get('refresh'), done.text.includes('<progress')]).toEqual([null, false]);
  expect(done.text).toContain('Available until');
  const leads = await member.visit(`${page}/file`);
  expect([leads.status, leads.location?.searchParams.get('X-Amz-Expires')]).toEqual([303, '300']);
  const response = await fetch(leads.location ?? '');
  expect(filesIn(Buffer.from(await response.arrayBuffer())).linesOf('groups')).toHaveLength(1);
  expect((await member.visit(path)).text).toContain('Ready</');
});

it('a viewer sees no button, and can neither export nor download', async () => {
  const { programId, path, member } = await shopOf('VIEWER');
  const { id } = await makeDoneExport(programId);
  expect((await member.visit(`/programs/${programId}`)).text).not.toContain(path);
  for (const page of [path, `${path}/${id}`, `${path}/${id}/file`])
    expect((await member.visit(page)).status, page).toBe(403);
  expect((await member.submit(path)).status).toBe(403);
});

it('an export whose file is gone is shown as expired, and its download says what to do', async () => {
  const { programId, path, member } = await shopOf('MANAGER');
  const { id } = await makeDoneExport(programId, new Date(Date.now() - 8 * 86_400_000));
  const { text } = await member.visit(`${path}/${id}`);
  expect(text).toContain('Expired</');
  expect(text).not.toContain(`${id}/file`);
  const missing = await member.visit(`${path}/${id}/file`);
  expect(missing.status).toBe(404);
  expect(missing.text).toContain('Export everything again');
  expect((await findExport(programId, id)).status).toBe('DONE');
});

it('of two buttons that are pressed at once one exports, and the other says that an export is running', async () => {
  const { path, member } = await shopOf('MANAGER');
  await member.csrfToken();
  const visits = await Promise.all([member.submit(path), member.submit(path)]);
  expect(visits.map(({ status }) => status).toSorted()).toEqual([303, 409]);
  expect(visits.find(({ status }) => status === 409)?.text).toContain('Another export of this program is running');
});

it('an export that nobody ends keeps nobody from another one', async () => {
  const { programId, path, member } = await shopOf('MANAGER');
  const abandoned = await makeAbandonedExport(programId, new Date(Date.now() - 30 * 60_000));
  const { status, text } = await member.submit(path);
  expect(status, text).toBe(303);
  expect((await findExport(programId, abandoned.id)).status).toBe('FAILED');
});
