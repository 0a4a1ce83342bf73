import { handleOf } from '../../domain/programs/handles.ts';
import { appUrl } from '../session/app-url.ts';

/** What affiliates share: it counts clicks. docs/behavior.md#following-a-link */
export const shareAddress = (program: { id: string; handle: string | null }, link: string): string =>
  new URL(`/r/${handleOf(program)}/${link}`, appUrl()).href;
