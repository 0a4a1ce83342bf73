import { LinkButton } from './blocks.tsx';

export const auditLogPath = (programId: string): string => `/programs/${programId}/audit-log`;

export const HistoryLink = ({ programId, recordId }: { programId: string; recordId: string | number }) => (
  <LinkButton quiet needs="VIEWER" to={`${auditLogPath(programId)}?recordId=${recordId}`}>
    History
  </LinkButton>
);
