import { attributions } from '../../contract/program.ts';
import { handleOf } from '../../domain/programs/handles.ts';
import type { StoredProgram } from '../../domain/programs/repository.ts';
import { Section } from '../components/blocks.tsx';
import { Field, type Filled, optionsOf, Select, TickBox } from '../components/controls.tsx';
import { Copyable } from '../components/copyable.tsx';
import { appUrl } from '../session/app-url.ts';

const attributionWords = { LAST_CLICK: 'The last one', FIRST_CLICK: 'The first one' } as const;

export const HandleField = ({ program, filled }: { program: StoredProgram; filled: Filled }) => (
  <Field
    name="handle"
    label="Handle"
    hint="Names the program in the addresses that affiliates share. Addresses with a former handle stop working."
    initial={handleOf(program)}
    filled={filled}
    required
    maxLength={40}
  />
);

export const TrackingFields = ({ program, filled }: { program: StoredProgram; filled: Filled }) => (
  <>
    <Select
      name="attribution"
      label="Which link counts"
      hint="Where a visitor followed links of several affiliates before buying"
      options={optionsOf(attributions, attributionWords)}
      chosen={program.attribution}
      filled={filled}
    />
    <Field
      name="attributionDays"
      label="Days that a click counts"
      hint="A sale is credited to the link if it is made within so many days, 1 to 365"
      initial={String(program.attributionDays)}
      filled={filled}
      required
      inputMode="numeric"
    />
    <TickBox
      name="showsCodes"
      label="Tell visitors who followed a link the affiliate’s newest code"
      checked={'name' in filled.values ? 'showsCodes' in filled.values : program.showsCodes}
    />
    <p class="hint">
      Only in the response of POST /track/clicks: the script for your shop does not show it.{' '}
      <a href="/docs/tracking#register-a-click-yourself">How to show it</a>
    </p>
  </>
);

export const ShopScript = ({ programId }: { programId: string }) => (
  <Section heading="Script for your shop">
    <p>
      Put this on every page of the shop, so that it knows by whose link a customer came.{' '}
      <a href="/docs/tracking">How sales are credited by it</a>
    </p>
    <Copyable
      text={`<script src="${new URL('/ref.js', appUrl())}" data-program="${programId}" async></script>`}
      label="the script"
    />
  </Section>
);
