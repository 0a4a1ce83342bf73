import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { includesRole, type Role } from '../../contract/roles.ts';

/** Of who looks at a page. Forms, and the buttons that lead to a form, are shown only to who may use them. */
export const RoleContext = createContext<Role>('OWNER');

/** Whether who looks may open what needs this role. */
export const useIncludesRole = (needed: Role): boolean => includesRole(useContext(RoleContext), needed);

/** Not viewers, who only look. */
export const useCanEdit = (): boolean => useIncludesRole('MANAGER');
