import { createContext } from 'preact';
import type { Role } from '../contract/roles.ts';

/** Of who looks at a page. Forms and the buttons that lead to them are not shown to viewers. */
export const RoleContext = createContext<Role>('OWNER');
