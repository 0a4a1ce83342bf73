export const linkPath = (programId: string, linkId: string): string => `/programs/${programId}/links/${linkId}`;
