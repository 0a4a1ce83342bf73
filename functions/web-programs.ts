import { programPages } from '../shared/contract/pages/programs.ts';
import { createProgram } from '../shared/domain/programs/programs.ts';
import { programsOf } from '../shared/domain/programs/repository.ts';
import { recentSales } from '../shared/domain/sales/sales-by-day.ts';
import { unfilled } from '../shared/web/controls.tsx';
import { overviewView } from '../shared/web/pages/overview.tsx';
import { newProgramView, programsView } from '../shared/web/pages/programs.tsx';
import { redirect } from '../shared/web/responses.ts';
import { webArea } from '../shared/web/web.ts';

export const handler = webArea(programPages, {
  showPrograms: async ({ account }) => programsView(await programsOf(account.email), account.plan),

  showNewProgram: ({ session }) => newProgramView(session, unfilled),

  addProgram: {
    submit: async ({ session, form, now }) => {
      const { programId } = await createProgram({ ...form, ownerEmail: session.email }, now);
      return redirect(`/programs/${programId}`);
    },
    showAgain: ({ session }, filled) => newProgramView(session, filled),
  },

  showProgram: async ({ program, now }) => overviewView(program, await recentSales(program.id, 30, now)),
});
