import { mailVariables } from '../../contract/mail-settings.ts';

/** False where the stage has no `mailFrom`: nothing is sent then, and pages say so. docs/behavior.md#mails */
export const sendsMails = (): boolean => Boolean(process.env[mailVariables.from]);
