import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

/** Copies the text of `children`. Shown where scripts run. */
export const WithCopyButton = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <span class="copyable">
    {children}
    <button type="button" class="copy" aria-label={`Copy ${label}`} title="Copy" hidden>
      <Icon name="copy" />
      <Icon name="done" />
    </button>
  </span>
);

/** Text that people copy: one click selects all of it, and so does the Tab key where no button can be. */
export const Copyable = ({ text, label, id }: { text: string; label: string; id?: string }) => (
  <WithCopyButton label={label}>
    <code id={id} class="whole-text">
      {text}
    </code>
    <noscript>
      <input class="by-keyboard" readOnly value={text} aria-label={label} />
    </noscript>
  </WithCopyButton>
);

/** A key or secret on a page of its own. */
export const CopyField = ({ name, label, text }: { name: string; label: string; text: string }) => (
  <section class="field copy-field" aria-label={label}>
    <p class="label">{label}</p>
    <Copyable id={name} text={text} label={label} />
  </section>
);
