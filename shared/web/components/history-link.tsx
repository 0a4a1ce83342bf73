import { LinkButton } from './blocks.tsx';

export const auditLogPath = (programId: string): string => `/programs/${programId}/audit-log`;

/** On the page of a record: leads to its changes. */
export const HistoryLink = ({ programId, recordId }: { programId: string; recordId: string | number }) => (
  <LinkButton quiet needs="VIEWER" to={`${auditLogPath(programId)}?recordId=${recordId}`}>
    History
  </LinkButton>
);
