import type { ComponentChildren } from 'preact';
import { State } from '../components/table.tsx';
import { affiliatesPath } from './affiliates.tsx';
import { applicationsPath } from './applications.tsx';
import { maxWaiting, type Overview } from './overview-figures.ts';
import { payoutBatchesPath, payoutBatchPath } from './payout-batches.tsx';
import { heldSalesPath } from './sales.tsx';
import { webhookPath } from './webhooks.tsx';

interface Task {
  to: string;
  tone: 'warn' | 'bad';
  state: string;
  text: ComponentChildren;
}

const countOf = (ids: readonly string[], one: string, many: string): string => {
  if (ids.length > maxWaiting) return `More than ${maxWaiting} ${many}`;
  return `${ids.length} ${ids.length === 1 ? one : many}`;
};

const tasksOf = (
  programId: string,
  { failing, readyBatches, inactiveAffiliates, applications, heldSales }: Overview,
): Task[] => [
  ...failing.map(
    ({ id, url, active }): Task => ({
      to: webhookPath(programId, id),
      tone: 'bad',
      state: active ? 'Failing' : 'Inactive',
      text: `Webhooks to ${url}`,
    }),
  ),
  ...(readyBatches.length > 0
    ? [
        {
          to:
            readyBatches.length === 1
              ? payoutBatchPath(programId, readyBatches[0] ?? '')
              : `${payoutBatchesPath(programId)}?status=READY`,
          tone: 'warn' as const,
          state: 'Ready to pay',
          text: countOf(readyBatches, 'payout batch', 'payout batches'),
        },
      ]
    : []),
  ...(heldSales.length > 0
    ? [
        {
          to: heldSalesPath(programId),
          tone: 'warn' as const,
          state: 'Held',
          text: countOf(heldSales, 'sale to review', 'sales to review'),
        },
      ]
    : []),
  ...(applications.length > 0
    ? [
        {
          to: applicationsPath(programId),
          tone: 'warn' as const,
          state: 'Waiting',
          text: countOf(applications, 'application to decide', 'applications to decide'),
        },
      ]
    : []),
  ...(inactiveAffiliates.length > 0
    ? [
        {
          to: `${affiliatesPath(programId)}?status=INACTIVE`,
          tone: 'warn' as const,
          state: 'Inactive',
          text: countOf(inactiveAffiliates, 'affiliate to review', 'affiliates to review'),
        },
      ]
    : []),
];

/** What a person should look at; nothing is shown if there is nothing. */
export const Attention = ({ programId, overview }: { programId: string; overview: Overview }) => {
  const tasks = tasksOf(programId, overview);
  if (tasks.length === 0) return null;
  return (
    <section class="card attention" aria-label="Needs attention">
      <h2>Needs attention</h2>
      <ul>
        {tasks.map(({ to, tone, state, text }) => (
          <li key={to}>
            <a href={to}>
              <State tone={tone}>{state}</State>
              <span>{text}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
};
