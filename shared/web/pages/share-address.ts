import { handleOf } from '../../domain/programs/handles.ts';
import { appUrl } from '../session/app-url.ts';

/** What affiliates share: it counts clicks. On the domain of links where the stage has one. docs/behavior.md#following-a-link */
export const shareAddress = (program: { id: string; handle: string | null }, link: string): string =>
  process.env.LINK_URL
    ? new URL(`/${handleOf(program)}/${link}`, process.env.LINK_URL).href
    : new URL(`/r/${handleOf(program)}/${link}`, appUrl()).href;
