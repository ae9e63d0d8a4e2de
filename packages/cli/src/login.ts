import { text as readStream } from 'node:stream/consumers'
import { createAtriumClient, dataOf } from '@atrium/client'
import { password } from '@inquirer/prompts'
import type { Command } from 'commander'
import { UsageError } from './failure.ts'
import { renderRows } from './output.ts'
import { checkAddress, readStored, type StoredProfile, writeStored } from './profile-file.ts'
import { endSignIn, signInWithBrowser } from './sign-in.ts'
import type { Terminal } from './terminal.ts'

interface LoginOptions {
  url?: string
  withToken?: boolean
  profile?: string
  tenant?: string
  partner?: string
}

/** Adds the commands that store, choose and remove profiles. */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('Sign in with the browser, or store a service token, as a profile')
    .option('--with-token', 'a service token, which is asked for or read from standard input')
    .addHelpText(
      'after',
      '\nWithout --with-token, commands have your own rights. --tenant or --partner names whose records they are about.',
    )
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>()
      const address = options.url ?? terminal.env.ATRIUM_URL
      if (!address) throw new UsageError('Name the address of the API with --url.')
      const url = checkAddress(address)
      await (options.withToken
        ? storeToken(url, options, terminal)
        : signIn(url, options, terminal))
    })
  program
    .command('logout')
    .description('Delete a profile from this machine, and end its sign-in; a token stays valid')
    .action(async (_, command: Command) => logout(command.optsWithGlobals(), terminal))
  const profiles = program.command('profiles').description('commands for profiles')
  profiles
    .command('list')
    .description('List the profiles')
    .action(async (_, command: Command) => {
      const { current, profiles: stored } = await readStored(terminal.env)
      const items = Object.entries(stored).map(([name, profile]) => {
        const { token: _token, signIn, ...shown } = profile
        return { name, ...shown, with: signIn ? 'person' : 'token', current: name === current }
      })
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

async function storeToken(url: string, options: LoginOptions, terminal: Terminal): Promise<void> {
  const token = (await readToken(terminal)).trim()
  if (!token.startsWith('atr_')) throw new UsageError('A service token begins with atr_.')
  const client = createAtriumClient({ url, token })
  const data = await dataOf(client.GET('/service-tokens/current'))
  if (data.kind !== 'platform' && !options[data.kind])
    terminal.note(`This is a token of a ${data.kind}: name it with --${data.kind} in commands.`)
  const name = await store({ url, token }, options, terminal)
  terminal.note(`Profile "${name}": ${data.name}, valid until ${data.expiresAt}.`)
}

async function signIn(url: string, options: LoginOptions, terminal: Terminal): Promise<void> {
  const started = await signInWithBrowser(url, (text) => terminal.note(text))
  const client = createAtriumClient({ url, token: started.accessToken })
  const { email } = await dataOf(client.GET('/users/me'))
  const name = await store({ url, signIn: started }, options, terminal)
  terminal.note(`Profile "${name}": signed in as ${email}.`)
}

/** Stores a profile as the current one, and returns its name. */
async function store(
  profile: StoredProfile,
  { profile: name = 'default', tenant, partner }: LoginOptions,
  { env }: Terminal,
): Promise<string> {
  const stored = await readStored(env)
  await writeStored(env, {
    current: name,
    profiles: {
      ...stored.profiles,
      [name]: { ...profile, ...(tenant && { tenant }), ...(partner && { partner }) },
    },
  })
  return name
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
  const { [name]: removed, ...profiles } = stored.profiles
  const { current, ...others } = stored
  await writeStored(terminal.env, {
    ...others,
    ...(current !== undefined && current !== name && { current }),
    profiles,
  })
  terminal.note(`Profile "${name}" is deleted.`)
  if (!removed?.signIn)
    terminal.note('Its token stays valid: revoke it in the portal if it is not needed.')
  else if (!(await endSignIn(removed.signIn)))
    terminal.note('The identity provider did not respond: the sign-in ends by itself in 30 days.')
}
