import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { includesRole, type Role } from '../../contract/roles.ts';

/** Of who looks at a page. Forms, and the buttons that lead to a form, are shown only to who may use them. */
export const RoleContext = createContext<Role>('OWNER');

export const useIncludesRole = (needed: Role): boolean => includesRole(useContext(RoleContext), needed);

export const useCanEdit = (): boolean => useIncludesRole('MANAGER');
