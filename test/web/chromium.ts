import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** This machine's Chromium: the file that the environment variable `CHROMIUM` names, else one on `PATH`, else undefined. */
export const findChromium = (): string | undefined => {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
};

/** What to say where the tests in a browser are left out. */
export const noChromium =
  'the tests in a browser need Chromium: "apt-get install chromium", or its file in the environment variable CHROMIUM';
