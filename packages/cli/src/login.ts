import { text as readStream } from 'node:stream/consumers'
import { ApiError, createAtriumClient } from '@atrium/client'
import { password } from '@inquirer/prompts'
import type { Command } from 'commander'
import { UsageError } from './failure.ts'
import { renderRows } from './output.ts'
import { checkAddress, type Profile, readStored, writeStored } from './profiles.ts'
import type { Terminal } from './terminal.ts'

interface LoginOptions {
  url?: string
  profile?: string
  tenant?: string
  partner?: string
}

/** Adds the commands that store, choose and remove profiles. */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('Store a service token as a profile')
    .addHelpText(
      'after',
      '\nThe token is asked for, or read from standard input. --tenant or --partner names its owner.',
    )
    .action(async (_, command: Command) => login(command.optsWithGlobals(), terminal))
  program
    .command('logout')
    .description('Delete a profile from this machine; the token itself stays valid')
    .action(async (_, command: Command) => logout(command.optsWithGlobals(), terminal))
  const profiles = program.command('profiles').description('commands for profiles')
  profiles
    .command('list')
    .description('List the profiles')
    .action(async (_, command: Command) => {
      const { current, profiles: stored } = await readStored(terminal.env)
      const items = Object.entries(stored).map(([name, { token: _token, ...profile }]) => ({
        name,
        ...profile,
        current: name === current,
      }))
      const asJson = command.optsWithGlobals().json
      terminal.print(
        asJson ? JSON.stringify({ items }, null, 2) : renderRows(items, terminal.width),
      )
    })
  profiles
    .command('use')
    .argument('<name>')
    .description('Choose the profile of the next commands')
    .action(async (name: string) => {
      const stored = await readStored(terminal.env)
      if (!stored.profiles[name]) throw new UsageError(`There is no profile "${name}".`)
      await writeStored(terminal.env, { ...stored, current: name })
    })
}

async function login(options: LoginOptions, terminal: Terminal): Promise<void> {
  const { tenant, partner } = options
  const address = options.url ?? terminal.env.ATRIUM_URL
  if (!address) throw new UsageError('Name the address of the API with --url.')
  const url = checkAddress(address)
  const token = (await readToken(terminal)).trim()
  if (!token.startsWith('atr_')) throw new UsageError('A service token begins with atr_.')
  const client = createAtriumClient({ url, token })
  const { data, error, response } = await client.GET('/service-tokens/current')
  if (!data) throw new ApiError(response, error)
  if (data.kind !== 'platform' && !(data.kind === 'tenant' ? tenant : partner))
    terminal.note(`This is a token of a ${data.kind}: name it with --${data.kind} in commands.`)
  const profile: Profile = { url, token, ...(tenant && { tenant }), ...(partner && { partner }) }
  const name = options.profile ?? 'default'
  const stored = await readStored(terminal.env)
  await writeStored(terminal.env, {
    current: name,
    profiles: { ...stored.profiles, [name]: profile },
  })
  terminal.note(`Profile "${name}": ${data.name}, valid until ${data.expiresAt}.`)
}

/** Never an argument: other people on the machine can read those. */
async function readToken({ interactive }: Terminal): Promise<string> {
  return interactive ? password({ message: 'Service token' }) : readStream(process.stdin)
}

async function logout({ profile }: LoginOptions, terminal: Terminal): Promise<void> {
  const stored = await readStored(terminal.env)
  const name = profile ?? stored.current
  if (name === undefined || !stored.profiles[name])
    throw new UsageError('There is no profile of that name.')
  const { [name]: _removed, ...profiles } = stored.profiles
  const { current, ...others } = stored
  await writeStored(terminal.env, {
    ...others,
    ...(current !== undefined && current !== name && { current }),
    profiles,
  })
  terminal.note(`Profile "${name}" is deleted. Revoke its token in the portal if it is not needed.`)
}
