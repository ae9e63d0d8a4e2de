import { parseSync } from 'oxc-parser'
import { expect, it } from 'vitest'
import { createMessageRules } from '../../.ci/message-rules.ts'

const main = "loadMessages('ui.frame')\nimport './router.tsx'\nimport '@atrium/ui/frame'"
const frame = "const t = translations('ui.frame')"

/** Faults of an app whose router has this one route. */
function faultsOf(route: string, files: Readonly<Record<string, string>>): string[] {
  const rules = createMessageRules()
  const app = { 'main.tsx': main, 'router.tsx': route, ...files }
  for (const [name, text] of Object.entries(app))
    rules.learn(`apps/portal/src/${name}`, parseSync(name, text))
  rules.learn('packages/ui/src/frame.tsx', parseSync('frame.tsx', frame))
  return rules.faultsOf('apps/portal')
}

const members = "withMessages(import('./members/page.tsx'), 'portal.members')"
const uses = (...names: string[]) => names.map((name) => `translations('${name}')`).join('\n')

it('finds what a part of a page uses and its route does not load', () => {
  const fault =
    'apps/portal/src/members/table.ts: uses portal.billing, which apps/portal/src/members/page.tsx is not loaded with'
  for (const importing of [
    "import './table.ts'",
    "export * from './table.ts'",
    "import('./table.ts')",
  ])
    expect(
      faultsOf(members, {
        'members/page.tsx': `${importing}\n${uses('portal.members', 'ui.frame')}`,
        'members/table.ts': uses('portal.billing'),
      }),
    ).toEqual([fault])
})

it('takes the messages that a part is loaded with on its page', () => {
  expect(
    faultsOf(members, {
      'members/page.tsx': `${uses('portal.members')}
        const Dialog = lazy(() => withMessages(import('./dialog.tsx'), 'portal.billing'))`,
      'members/dialog.tsx': uses('portal.members', 'portal.billing'),
    }),
  ).toEqual([])
})

it('finds messages that are loaded and not used', () => {
  expect(faultsOf(members, { 'members/page.tsx': uses('ui.frame') })).toEqual([
    'apps/portal/src/router.tsx: loads portal.members with apps/portal/src/members/page.tsx for nothing',
  ])
})

it('leaves out what is imported for its types', () => {
  expect(
    faultsOf(members, {
      'members/page.tsx': `import type { Row } from './table.ts'\n${uses('portal.members')}`,
      'members/table.ts': uses('portal.billing'),
    }),
  ).toEqual([])
})
