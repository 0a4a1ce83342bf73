import type { ComponentChildren } from 'preact';
import type { Role } from '../../contract/roles.ts';
import { type Filled, type FormSession, PostForm } from './controls.tsx';
import { useCanEdit, useIncludesRole } from './role.tsx';

export type Entry = readonly [label: string, value: ComponentChildren, hint?: ComponentChildren];

const isShown = ([, value]: Entry): boolean => value != null && value !== '' && value !== false;

/** An email is on one line. */
const unbroken = (value: ComponentChildren): ComponentChildren =>
  typeof value === 'string' && /^\S+@\S+$/.test(value) ? <span class="email">{value}</span> : value;

export const Facts = ({ entries }: { entries: readonly Entry[] }) => (
  <dl class="card facts">
    {entries.filter(isShown).map(([label, value, hint]) => (
      <>
        <dt>{label}</dt>
        <dd>
          {unbroken(value)}
          {hint && <p class="hint">{unbroken(hint)}</p>}
        </dd>
      </>
    ))}
  </dl>
);

export const Figures = ({ entries }: { entries: readonly Entry[] }) => (
  <dl class="figures">
    {entries.filter(isShown).map(([label, value, hint]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>
          {value}
          {hint && <p class="hint">{hint}</p>}
        </dd>
      </div>
    ))}
  </dl>
);

export const Section = (props: { heading: string; actions?: ComponentChildren; children: ComponentChildren }) => (
  <>
    <div class="section">
      <h2>{props.heading}</h2>
      {props.actions && <div class="actions">{props.actions}</div>}
    </div>
    {props.children}
  </>
);

/** Shown to who has the role that the page behind it `needs`: managers, unless said otherwise. */
export const LinkButton = (props: {
  to: string;
  quiet?: boolean;
  danger?: boolean;
  needs?: Role;
  children: ComponentChildren;
}) => {
  if (!useIncludesRole(props.needs ?? 'MANAGER')) return null;
  const look = ['button', (props.quiet || props.danger) && 'quiet', props.danger && 'danger'];
  return (
    <a class={look.filter(Boolean).join(' ')} href={props.to}>
      {props.children}
    </a>
  );
};

/** A link to a form; viewers see the text alone. */
export const FormLink = ({ to, children }: { to: string; children: ComponentChildren }) =>
  useCanEdit() ? <a href={to}>{children}</a> : <span>{children}</span>;

/** The buttons of a record that can be edited and deleted. */
export const EditAndDelete = ({ path, edit = 'Edit' }: { path: string; edit?: string }) => (
  <>
    <LinkButton quiet to={`${path}/edit`}>
      {edit}
    </LinkButton>
    <LinkButton danger to={`${path}/delete`}>
      Delete
    </LinkButton>
  </>
);

export const Tabs = ({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly (readonly [label: string, path: string])[];
  current: string;
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(([name, path]) => (
      <a key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

export const FormCard = (props: {
  session: FormSession;
  action: string;
  button: string;
  back: string;
  filled: Filled;
  children: ComponentChildren;
}) => (
  <div class="card form">
    <PostForm session={props.session} action={props.action} filled={props.filled}>
      <div class="fields">{props.children}</div>
      <div class="form-actions">
        <button type="submit">{props.button}</button>
        <a href={props.back}>Cancel</a>
      </div>
    </PostForm>
  </div>
);
