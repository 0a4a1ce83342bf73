/** Of a member in a program, the most powerful first. */
export const roles = ['OWNER', 'MANAGER', 'VIEWER'] as const;
export type Role = (typeof roles)[number];

export const roleWords: Readonly<Record<Role, string>> = { OWNER: 'Owner', MANAGER: 'Manager', VIEWER: 'Viewer' };

/** Whether a role includes what another one may do. */
export const includesRole = (role: Role, needed: Role): boolean => roles.indexOf(role) <= roles.indexOf(needed);
