import type { ImportPreset } from '../../../../contract/imports.ts';
import { dub } from './dub.ts';
import { firstpromoter } from './firstpromoter.ts';
import type { Preset } from './preset.ts';
import { rewardful } from './rewardful.ts';
import { tolt } from './tolt.ts';

export const presets: Readonly<Record<ImportPreset, Preset>> = { rewardful, firstpromoter, tolt, dub };
