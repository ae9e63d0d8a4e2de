import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { openBrowser } from '../browser.ts'
import { visit } from '../people.ts'
import { followTutorial } from './tutorial.ts'

const root = join(import.meta.dirname, '../..')
const file = 'first-integration.md'

interface Ended {
  status: number
  out: string
  err: string
}

/** The commands of a section, in its order. */
async function readCommands(title: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs/tutorials', file), 'utf8')
  const section = text.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/^ {4}(.+)$/gm)].map(([, command = '']) => command)
}

/** Runs a `node` command of the text in the repository. */
function run(command: string, env: Record<string, string>): Promise<Ended> {
  const [program, ...args] = command.split(' ')
  expect(program).toBe('node')
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, env: { PATH: process.env.PATH, ATRIUM_CONFIG: '/none', ...env } },
      (error, out, err) => done({ status: Number(error?.code ?? 0), out, err }),
    )
  })
}

it('leads a developer to a program that works', async () => {
  const { portal, api } = inject('workplace')
  await using owner = await visit(await openBrowser())
  const { page } = owner
  const env = { ATRIUM_URL: api, ATRIUM_TENANT: 'acme', ATRIUM_TOKEN: '' }
  const runAll = async (title: string): Promise<Ended[]> => {
    const ended = []
    for (const command of await readCommands(title)) ended.push(await run(command, env))
    return ended
  }

  await followTutorial(file, {
    'Create a token': async (ui) => {
      await page.goto(portal)
      await page.getByRole('link', { name: ui('Sign in') }).click()
      await page.getByRole('button', { name: ui('Anna Owner') }).click()
      await page.waitForURL((url) => url.origin === portal && !url.pathname.startsWith('/auth/'))
      // Alone she lands there; other tests give her further workplaces to choose from.
      await page.goto(`${portal}/t/acme`)
      await page
        .getByRole('link', { name: ui('Service tokens') })
        .first()
        .click()
      await page
        .getByRole('button', { name: ui('Create token') })
        .first()
        .click()
      const form = page.getByRole('dialog', { name: 'Create a service token' })
      await form.getByLabel(ui('Name')).fill(ui('Everyone list'))
      const choose = (area: string, right: string) =>
        form.getByRole('group', { name: area }).getByRole('checkbox', { name: right }).check()
      await choose(ui('Members and invitations'), ui('Read'))
      await choose(ui('Domains, lists and aliases'), ui('Read'))
      await choose(ui('Domains, lists and aliases'), ui('Write'))
      await choose(ui('Events as they happen'), ui('Read'))
      await form.getByRole('button', { name: ui('Create token') }).click()
      const shown = page.getByRole('dialog', { name: 'Token of Everyone list' })
      env.ATRIUM_TOKEN = (await shown.getByLabel(ui('Service token')).textContent()) ?? ''
      await shown.getByRole('button').last().click()
      await shown.waitFor({ state: 'detached' })
    },
    'Call the API': async (ui) => {
      const commands = await readCommands('Call the API')
      const exported = commands.flatMap((line) => /^export (\w+)=/.exec(line)?.[1] ?? [])
      expect(exported.toSorted()).toEqual(Object.keys(env).toSorted())
      const filled = (commands.at(-1) ?? '').replaceAll(
        /\$(ATRIUM_\w+)/g,
        (_, name: keyof typeof env) => env[name],
      )
      const [, authorization = '', address = ''] =
        /^curl -H "Authorization: (.+)" "(.+)"$/.exec(filled) ?? []
      const response = await fetch(address, { headers: { authorization } })
      const body = (await response.json()) as Record<string, unknown>
      expect(body[ui('items')]).toHaveLength(1)
      expect(body[ui('nextCursor')]).toEqual(expect.any(String))
    },
    'Run a program': async (ui) => {
      const [first, second] = await runAll('Run a program')
      expect(first).toMatchObject({ status: 0, err: '' })
      expect(first?.out).toMatch(new RegExp(`^Created ${ui('everyone')}@\\S+ with \\d+ recipients`))
      expect(second).toMatchObject({ status: 0, out: expect.stringContaining('is up to date') })
    },
    'Use the command line': async () => {
      const [built, listed, rejected] = await runAll('Use the command line')
      expect(built).toMatchObject({ status: 0, err: '' })
      expect(JSON.parse(listed?.out ?? '').items).toMatchObject([{ name: 'Everyone' }])
      expect(rejected).toMatchObject({
        status: 77,
        err: expect.stringContaining('insufficient_scope'),
      })
    },
    'See what happened': async (ui) => {
      const [tailed] = await runAll('See what happened')
      expect(await readCommands('See what happened')).toEqual([
        expect.stringContaining(ui('--no-follow')),
      ])
      const events = (tailed?.out ?? '')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const ofList = events.filter(({ data }) => data.resource.name?.startsWith('everyone@'))
      expect(ofList.at(-1)).toMatchObject({
        type: ui('list.created'),
        data: { tenant: 'acme', actor: { type: 'service' } },
      })
    },
    'End its access': async (ui) => {
      await page.getByRole('button', { name: ui('Revoke Everyone list') }).click()
      await page
        .getByRole('dialog', { name: 'Revoke Everyone list?' })
        .getByRole('button', { name: ui('Revoke') })
        .click()
      await page.getByText('Everyone list has been revoked.').waitFor()
      const [rejected] = await runAll('End its access')
      expect(rejected).toMatchObject({
        status: 1,
        err: expect.stringContaining('unauthenticated'),
      })
    },
  })
  expect(owner.complaints).toEqual([])
})
