import { demoPassword, demoPeople } from '@atrium/core/demo/demo'
import { html, type PageInput } from '../../page.ts'
import type { ApplicationRecord, ProviderRecord, Store, UserRecord } from '../records.ts'

/**
 * Origins to which a finished sign-in leads: browsers hold the redirects after a form against
 * `form-action` too.
 */
function returnOrigins(provider: ProviderRecord): string[] {
  const origins = provider.redirect_uris.map((uri) => URL.parse(uri.url)?.origin)
  return [...new Set(origins.filter((origin) => origin !== undefined && origin !== 'null'))].filter(
    (origin) => origin !== undefined,
  )
}

export interface SignInInput {
  readonly store: Store
  readonly application: ApplicationRecord
  readonly provider: ProviderRecord
  /** What was typed before, or hinted at by the application. */
  readonly identifier?: string
  /** A sentence about what was wrong with the last try. */
  readonly fault?: string
}

export function signInPage({
  store,
  application,
  provider,
  identifier = '',
  fault,
}: SignInInput): PageInput {
  const people = demoPeople.filter((person) =>
    store.records.users.some((user) => user.email === person.email),
  )
  const what = (groups: readonly string[]) =>
    groups.length > 0 ? groups.join(', ') : 'no group yet'
  return {
    title: `Local sign-in: ${application.name}`,
    formTargets: returnOrigins(provider),
    body: html`<h1>Local sign-in</h1><p class="soft">to ${application.name}. This page belongs to the sandbox; no real account is asked for.</p>
${fault && html`<p class="alert" role="alert">${fault}</p>`}
${
  people.length > 0 &&
  html`<section class="card" aria-labelledby="people"><h2 id="people">Sign in as</h2><form method="post">${people.map(
    (person) =>
      html`<button class="plain person" name="person" value="${person.email}"><b>${person.name}</b><span class="soft">${person.email} &middot; ${what(person.groups)}</span></button>`,
  )}</form></section>`
}
<section class="card" aria-labelledby="password-form"><h2 id="password-form">With a password</h2><form method="post">
<label for="identifier">E-mail or user name</label><input id="identifier" name="identifier" value="${identifier}" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="actions"><button>Sign in</button></div></form>
${people.length > 0 && html`<p class="soft">The password of the demo people is <code>${demoPassword}</code>.</p>`}</section>`,
  }
}

/** What the deny stage of our blueprint says. */
export const accessRejected =
  'Your organization does not allow sign-in from this network or country.'

/** Who signs in, in a form of a later step of a sign-in. */
export interface Step {
  readonly provider: ProviderRecord
  readonly user: UserRecord
  /** Names of fields and their values, which prove that the person passed the steps before. */
  readonly fields: Readonly<Record<string, string>>
}

const hidden = (fields: Step['fields']) =>
  html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}`

/** A second factor is required and missing: it is set up with one press before anything opens. */
export function secondFactorPage({ provider, user, fields }: Step): PageInput {
  return {
    title: 'Set up a second factor',
    formTargets: returnOrigins(provider),
    body: html`<h1>Set up a second factor</h1><p class="soft">for ${user.email}. Your organization requires one. This page belongs to the sandbox; nothing is asked for.</p>
<section class="card"><form method="post">${hidden(fields)}
<div class="actions"><button name="factor" value="webauthn">Set up a passkey</button> <button class="plain" name="factor" value="totp">Set up an authenticator app</button></div></form></section>`,
  }
}

/** The first sign-in with a temporary password: it has to be replaced before anything opens. */
export function firstPasswordPage({ provider, user, fields }: Step, fault?: string): PageInput {
  return {
    title: 'Choose your own password',
    formTargets: returnOrigins(provider),
    body: html`<h1>Choose your own password</h1><p class="soft">for ${user.email}. The password that you were given is for this first sign-in only.</p>
${fault && html`<p class="alert" role="alert">${fault}</p>`}
<section class="card"><form method="post">${hidden(fields)}
<label for="new-password">New password</label><input id="new-password" name="new-password" type="password" autocomplete="new-password" required>
<label for="new-password-repeat">New password (repeat)</label><input id="new-password-repeat" name="new-password-repeat" type="password" autocomplete="new-password" required>
<div class="actions"><button>Save and continue</button></div></form></section>`,
  }
}

/** A signed-in person whom the application does not admit. */
export function deniedPage(
  application: ApplicationRecord,
  email: string,
  provider: ProviderRecord,
): PageInput {
  return {
    title: 'Permission denied',
    formTargets: returnOrigins(provider),
    body: html`<section class="card"><h1>Permission denied</h1><p>${email} may not use ${application.name}.</p>
<form method="post"><button name="switch" value="yes">Sign in as somebody else</button></form></section>`,
  }
}

export function messagePage(
  title: string,
  text: string,
  link?: { href: string; label: string },
): PageInput {
  return {
    title,
    body: html`<section class="card"><h1>${title}</h1><p>${text}</p>${link && html`<p><a href="${link.href}">${link.label}</a></p>`}</section>`,
  }
}

/** A signed-in person sets another password. */
export function passwordPage(store: Store, email: string, fault?: string): PageInput {
  return {
    title: 'Change Password',
    formTargets: store.records.providers.flatMap(returnOrigins),
    body: html`<h1>Change Password</h1><p class="soft">of ${email}. This page belongs to the sandbox.</p>${fault && html`<p class="alert" role="alert">${fault}</p>`}
<section class="card"><form method="post"><label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required><div class="actions"><button>Continue</button></div></form></section>`,
  }
}

/** A second factor is set up with one press; the sandbox asks for none when people sign in. */
export function setupPage(store: Store, title: string): PageInput {
  return {
    title,
    formTargets: store.records.providers.flatMap(returnOrigins),
    body: html`<section class="card"><h1>${title}</h1><p>This page belongs to the sandbox. Nothing is asked for.</p>
<form method="post"><div class="actions"><button>Continue</button></div></form></section>`,
  }
}

export function recoveryPage(email: string, fault?: string): PageInput {
  return {
    title: 'Set a password',
    body: html`<h1>Set a password</h1><p class="soft">for ${email}</p>${fault && html`<p class="alert" role="alert">${fault}</p>`}
<section class="card"><form method="post"><label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required><div class="actions"><button>Save</button></div></form></section>`,
  }
}
